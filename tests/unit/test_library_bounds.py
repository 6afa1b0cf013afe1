# SPDX-License-Identifier: GPL-3.0-or-later
"""The versions of libraries that ./dev and the installer ask of a distribution are those of pyproject.toml."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
INSTALLER = (CHECKOUT / "packaging/install").read_text()
DISTRIBUTED_AS = {"PySide6": "PySide6-Essentials"}


def pair(version: str) -> tuple[int, int]:
    """The first two numbers, which is what the installer looks at."""
    first, second, *_ = [*map(int, version.split(".")), 0]
    return first, second


def declared(sign: str) -> dict[str, tuple[int, int]]:
    wanted = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]["dependencies"]
    found = (re.match(rf"([\w-]+)\S*?{sign}([\d.]+)", each) for each in wanted)
    return {match[1]: pair(match[2]) for match in found if match}


def test_the_installer_knows_the_least_versions() -> None:
    asked = {name: pair(f"{a}.{b}") for name, a, b in re.findall(r"(\w+): \((\d+), (\d+)\)", INSTALLER)}
    assert {DISTRIBUTED_AS.get(name, name): least for name, least in asked.items()} == declared(">=")


def test_the_installer_knows_the_versions_that_are_too_new() -> None:
    asked = {name: pair(f"{a}.{b}") for name, a, b in re.findall(r"version\((\w+)\) < \((\d+), (\d+)\)", INSTALLER)}
    assert {DISTRIBUTED_AS.get(name, name): most for name, most in asked.items()} == declared("<")


def test_dev_takes_the_distributions_qt_from_that_version_on() -> None:
    (asked,) = re.findall(r'dpkg --compare-versions "\$version" ge ([\d.]+)', (CHECKOUT / "dev").read_text())
    assert pair(asked) == declared(">=")["PySide6-Essentials"]
