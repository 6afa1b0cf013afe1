# SPDX-License-Identifier: GPL-3.0-or-later
"""Random rules, each reported on by Disktuner and then given to a real udevd: where do they contradict?

``./dev bench rules`` draws ``DISKTUNER_TIMES`` files of rules (else 1,000), from the seed ``DISKTUNER_SEEDS`` (else 1).
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

from disktuner.block.writers import LineState
from tests.bus.conftest import rules_of_udevd
from tests.bus.drawn_rules import SCHEDULERS, contradictions, drawn
from tests.conftest import LoopDisk
from tests.root_agent import RootAgent


def main() -> None:
    """Print each contradiction, and their number."""
    times, random = int(os.environ.get("DISKTUNER_TIMES", "1000")), Random(os.environ.get("DISKTUNER_SEEDS", "1"))
    sudo, wrong, states = RootAgent(), 0, Counter[LineState]()
    with (
        tempfile.TemporaryDirectory() as folder,
        _disk(sudo, Path(folder) / "image") as disk,
        rules_of_udevd(sudo, disk) as udev_rules,
    ):
        for number in range(times):
            udev_rules.given(rules := drawn(random, disk.name))
            writers, happened = udev_rules.reported(), udev_rules.happens()
            states.update(writer.state for writer in writers if writer.sets_scheduler and writer.value in SCHEDULERS)
            for mistake in contradictions(writers, happened):
                wrong += 1
                print(f"{number}: {mistake.place} is {mistake.state}, but the disk had {sorted(happened)}:\n{rules}")
    sudo.close()
    shares = ", ".join(f"{state.value} {count / states.total():.1%}" for state, count in states.most_common())
    print(f"{times} files of rules, {states.total()} lines ({shares}): {wrong} contradictions")


@contextmanager
def _disk(sudo: RootAgent, image: Path) -> Iterator[LoopDisk]:
    image.touch()
    os.truncate(image, 64 << 20)
    device = sudo.attach(image)
    yield LoopDisk(Path(device).name, device, None)
    sudo.detach(device)


if __name__ == "__main__":
    main()
