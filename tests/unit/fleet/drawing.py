# SPDX-License-Identifier: GPL-3.0-or-later
"""Folders of result files of many machines, with known truth."""

from __future__ import annotations

import math
import random
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.bench.fleet import COPY, LAUNCH, METRICS, READ
from tests.unit.verdict.making import drawn, result_of

from disktuner.results.codec import encode
from disktuner.results.model import Machine, Result
from disktuner.vocabulary.settings import Setting
from disktuner_fleet.gathering import Folder
from disktuner_fleet.group import Group
from disktuner_fleet.summary import Summary, summarise

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
    """A machine's result: bfq gains ``gain`` times where it decides for everyday use, and loses at copying."""
    chance = random.Random(number * 7919 + len(model))
    factor = math.exp(chance.gauss(0, differs))
    effects = {(LAUNCH, "bfq"): factor / gain, (READ, "bfq"): factor / gain, (COPY, "bfq"): copying}
    samples = drawn(chance, METRICS, NAMES, rounds, noise, lambda m, s: effects.get((m, s), 1.0))
    return result_of(
        METRICS, NAMES, samples, id=f"of-{model[:3]}-{number}", created="2026-11-20T10:00:00Z",
        machine=Machine(kernel), disk={"model": model, "serial": f"SECRET-{number}", "kind": "hdd"} | disk,
        baseline=Setting(baseline), seed=number, rounds=40,
    )  # fmt: skip


def write(folder: Path, *results: Result, prefix: str = "host") -> list[str]:
    """Write results into a folder and return the file names."""
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
    """Return the only group of a folder."""
    (group,) = summary(folder).groups
    return group
