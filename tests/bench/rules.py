# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules drawn at random, each told about by Disktuner and then given to a real udevd: where do they contradict?

``./dev bench rules`` draws ``DISKTUNER_TIMES`` files of rules (else 1,000), from the seed ``DISKTUNER_SEEDS`` (else 1).
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from pathlib import Path
from random import Random

from disktuner.block.writers import State
from tests.bus.conftest import rules_of_udevd
from tests.bus.drawn_rules import SCHEDULERS, contradictions, drawn
from tests.conftest import LoopDisk
from tests.root_agent import RootAgent


def main() -> None:
    """Print each contradiction, and how many there were."""
    times, random = int(os.environ.get("DISKTUNER_TIMES", "1000")), Random(os.environ.get("DISKTUNER_SEEDS", "1"))
    sudo, wrong, states, reasons = RootAgent(), 0, Counter[State](), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        image = Path(folder) / "image"
        image.touch()
        os.truncate(image, 64 << 20)
        device = sudo.attach(image)
        disk = LoopDisk(Path(device).name, device, None)
        try:
            with rules_of_udevd(sudo, disk) as asked:
                for number in range(times):
                    if number % 50 == 0:
                        print(number, flush=True)
                    rules = drawn(random, disk.name)
                    Path("/tmp/last").write_text(rules)
                    asked.given(rules)
                    writers, happened = asked.told(), asked.happens()
                    reasons.update(str(one.why.values) for one in writers if one.state is State.OPEN and one.why)
                    states.update(one.state for one in writers if one.sets_scheduler and one.value in SCHEDULERS)
                    for one in contradictions(writers, happened):
                        wrong += 1
                        print(f"{one.place} is {one.state}, but the disk had {sorted(happened)}:\n{rules}", flush=True)
        except AssertionError:
            print("LAST", Path("/tmp/last").read_text())
            raise
        finally:
            sudo.detach(device)
            sudo.close()
    print(reasons.most_common())
    shares = ", ".join(f"{state.value} {count / states.total():.1%}" for state, count in states.most_common())
    print(f"{times} files of rules, {states.total()} lines ({shares}): {wrong} contradictions")


if __name__ == "__main__":
    main()
