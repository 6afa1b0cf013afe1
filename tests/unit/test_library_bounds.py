# SPDX-License-Identifier: GPL-3.0-or-later
"""The library versions that ./dev and the installer require are those of pyproject.toml."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
INSTALLER = (CHECKOUT / "packaging/install").read_text()
DISTRIBUTED_AS = {"PySide6": "PySide6-Essentials"}


def pair(version: str) -> tuple[int, int]:
    """Return the first two numbers, which the installer looks at."""
    first, second, *_ = [*map(int, version.split(".")), 0]
    return first, second


def declared(sign: str) -> dict[str, tuple[int, int]]:
    wanted = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]["dependencies"]
    matches = (re.match(rf"([\w-]+)\S*?{sign}([\d.]+)", requirement) for requirement in wanted)
    return {match[1]: pair(match[2]) for match in matches if match}


def test_the_installer_knows_the_least_versions() -> None:
    required = {name: pair(f"{a}.{b}") for name, a, b in re.findall(r"(\w+): \((\d+), (\d+)\)", INSTALLER)}
    assert {DISTRIBUTED_AS.get(name, name): least for name, least in required.items()} == declared(">=")


def test_the_installer_knows_the_versions_that_are_too_new() -> None:
    required = {name: pair(f"{a}.{b}") for name, a, b in re.findall(r"version\((\w+)\) < \((\d+), (\d+)\)", INSTALLER)}
    assert {DISTRIBUTED_AS.get(name, name): most for name, most in required.items()} == declared("<")


def test_dev_takes_the_distributions_qt_from_that_version_on() -> None:
    (required,) = re.findall(
        r'dpkg --compare-versions "\$version" ge ([\d.]+)', (CHECKOUT / "packaging/dev/setup.sh").read_text()
    )
    assert pair(required) == declared(">=")["PySide6-Essentials"]
