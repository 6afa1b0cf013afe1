# SPDX-License-Identifier: GPL-3.0-or-later
"""The packages of this checkout, built once, and the roots to try them in."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import Sudo
from tests.packages.system import CHECKOUT, ROOT

ROOTS = Path("/var/tmp/disktuner-packages")
SUITES = {"bookworm": "3.11", "trixie": "3.13", "noble": "3.12"}
HERE = "here"
"""This machine's release, whose packages are built and tried on this machine, seen through mounts."""


def own_suite() -> str:
    lines = Path("/etc/os-release").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line)["VERSION_CODENAME"]


def root_of(place: str, sudo: Sudo, *packages: str) -> Path:
    """Return a release's root, minimal but for ``packages``."""
    return Path("/") if place == HERE else Path(sudo(ROOT, "make", place, ROOTS, *packages).strip())


def build(place: str, folder: Path, sudo: Sudo) -> list[Path]:
    """Build in a folder, with this checkout's own steps; return all packages."""
    suite, version = (
        (own_suite(), f"{sys.version_info.major}.{sys.version_info.minor}") if place == HERE else (place, SUITES[place])
    )
    package = CHECKOUT / "packaging/package"
    subprocess.run([package, "sources", suite, folder, version], check=True)
    if place == HERE:
        subprocess.run([package, "build", folder], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT)
    else:
        listed = (CHECKOUT / "packaging/packages-build.txt").read_text().splitlines()
        root = root_of(place, sudo, *(line for line in listed if not line.startswith("#")))
        inside = ("--", "/checkout/packaging/package", "build", "/build")
        sudo(ROOT, "run", root, f"{folder}:/build", f"{CHECKOUT}:/checkout", *inside)
    return sorted(folder.glob("*.deb"))


@pytest.fixture(scope="session")
def built(sudo: Sudo, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], list[Path]]:
    return cache(lambda place: build(place, tmp_path_factory.mktemp(place), sudo))
