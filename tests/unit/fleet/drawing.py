# SPDX-License-Identifier: GPL-3.0-or-later
"""Folders of result files of many machines, with known truth."""

from __future__ import annotations

import math
import random
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.bench.fleet import COPY, LAUNCH, METRICS, READ

from disktuner.fleet.gathering import Folder
from disktuner.fleet.group import Group
from disktuner.fleet.summary import Summary, summarise
from disktuner.results.codec import encode
from disktuner.results.model import FileSystem, Machine, PlanRecord, Result, Sample
from disktuner.vocabulary.settings import Setting

NOW = datetime(2026, 11, 24, tzinfo=UTC)
NAMES = ("mq-deadline", "none", "kyber", "bfq")

__all__ = ["COPY", "LAUNCH", "NOW", "READ", "machine", "one", "summary", "write"]


def machine(
    number: int = 0,
    gain: float = 2.0,
    model: str = "WDC WD10EZEX-08WN4A0",
    kernel: str = "6.12.9-amd64",
    baseline: str = "mq-deadline",
    differs: float = 0.05,
    rounds: int = 6,
    noise: float = 0.06,
    copying: float = 1.0,
    **disk: Any,
) -> Result:
    """A result of one machine: bfq gains so many times where it decides for everyday use, and loses at copying."""
    chance = random.Random(number * 7919 + len(model))
    own = math.exp(chance.gauss(0, differs))
    effects = {(LAUNCH, "bfq"): own / gain, (READ, "bfq"): own / gain, (COPY, "bfq"): copying}
    samples = tuple(
        Sample(
            m, Setting(s), r, r * 4 + at, effects.get((m, s), 1.0) * math.exp(chance.gauss(0, noise)), duration_s=5.0
        )
        for r in range(rounds)
        for at, s in enumerate(NAMES)
        for m in METRICS
    )
    return Result(
        f"of-{model[:3]}-{number}",
        "2026-11-20T10:00:00Z",
        "0.1",
        Machine(kernel, "Debian GNU/Linux 13", "8 x AMD", 2**34, ""),
        {"model": model, "serial": f"SECRET-{number}", "kind": "hdd"} | disk,
        FileSystem("/srv", "ext4", (), ()),
        PlanRecord("desktop", "quick", tuple(map(Setting, NAMES)), Setting(baseline), (), number, 40),
        METRICS,
        samples,
    )


def write(folder: Path, *results: Result, prefix: str = "host") -> list[str]:
    """Write results into a folder and return the names of the files."""
    folder.mkdir(parents=True, exist_ok=True)
    names = [f"{prefix}{number}.json" for number in range(len(results))]
    for name, result in zip(names, results, strict=True):
        (folder / name).write_text(encode(result))
    return names


def summary(folder: Path, goal: str | None = None) -> Summary:
    """Summarise a folder."""
    files = Folder(folder, NOW)
    return summarise(files.runs(), files.again, goal)


def one(folder: Path) -> Group:
    """The only group of a folder."""
    (group,) = summary(folder).groups
    return group
