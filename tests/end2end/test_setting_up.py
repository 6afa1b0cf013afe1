# SPDX-License-Identifier: GPL-3.0-or-later
"""What `./dev` installs: it says what and how much, asks where somebody is there, and survives others' locks."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pexpect
import pytest

from tests.conftest import Sudo

CHECKOUT = Path(__file__).parents[2]
HELPER = "/usr/libexec/disktuner-helper"
APT = """#!/bin/sh
echo "apt-get $*" >>{said}
case "$*" in
*--print-uris*) echo "'http://deb/xkb.deb' xkb.deb 2500000 SHA256:0" ;;
update*)
    if [ "$(grep -c 'apt-get update' {said})" -lt 3 ]; then
        echo "E: Could not get lock /var/lib/apt/lists/lock"
        exit 100
    fi ;;
*install*) [ "$(grep -c 'DPkg::Lock::Timeout' {said})" -gt 1 ] || exit 100 ;;
esac
"""
MISSING = '#!/bin/sh\ncase "$*" in *sysbench*) exit 1 ;; esac\necho installed\n'
AS_ROOT = '#!/bin/sh\nwhile case "$1" in --*) ;; *) false ;; esac; do shift; done\nexec "$@"\n'


@pytest.fixture
def stubs(tmp_path: Path) -> Path:
    """A machine that lacks sysbench, where another program holds the locks at first; ``said`` is what it was asked."""
    said = tmp_path / "said"
    programs = {"apt-get": APT.format(said=said), "dpkg-query": MISSING, "sudo": AS_ROOT}
    programs["dpkg"] = f'#!/bin/sh\necho "dpkg $*" >>{said}\n'
    for name, text in programs.items():
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    return tmp_path


def path(stubs: Path) -> dict[str, str]:
    return {**os.environ, "PATH": f"{stubs}:{os.environ['PATH']}", "CI": ""}


def test_another_programs_locks_are_waited_for_and_half_an_installation_is_finished(stubs: Path) -> None:
    done = subprocess.run([CHECKOUT / "dev", "setup"], env=path(stubs), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "2 MB to download" in done.stderr and "sysbench" in done.stderr and "waiting for another" in done.stderr
    asked = (stubs / "said").read_text()
    assert (
        asked.count("apt-get update") == 3
        and "dpkg --configure -a" in asked
        and asked.count("apt-get install -qq -y") == 2
    )


def test_somebody_at_a_terminal_is_asked_first(stubs: Path) -> None:
    window = pexpect.spawn(str(CHECKOUT / "dev"), ["setup"], env=path(stubs), encoding="utf-8", timeout=None)
    window.expect_exact("install them? [Y/n]")
    window.sendline("n")
    window.expect_exact("nothing was installed")
    window.expect(pexpect.EOF)
    window.close()
    assert window.exitstatus == 1 and "apt-get install -qq" not in (stubs / "said").read_text().replace(
        "--print-uris", ""
    )


def test_another_distribution_is_told_what_to_install_and_can_go_on_then(tmp_path: Path) -> None:
    """Here one without dpkg."""
    for each in (*Path("/usr/sbin").iterdir(), *Path("/usr/bin").iterdir()):
        if not each.name.startswith(("dpkg", "apt")) and not (tmp_path / each.name).exists():
            (tmp_path / each.name).symlink_to(each)
    dev, environment = CHECKOUT / "dev", {**os.environ, "PATH": str(tmp_path)}
    told = subprocess.run([dev, "setup"], env=environment, capture_output=True, text=True, check=False)
    assert told.returncode == 1 and "packages-run.txt" in told.stderr and "./dev --installed" in told.stderr
    done = subprocess.run([dev, "--installed", "setup"], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_an_installed_helper_of_another_version_is_told(sudo: Sudo, tmp_path: Path) -> None:
    """Where Disktuner is installed, as it is in here, the installed one is used."""

    def said() -> str:
        done = subprocess.run([CHECKOUT / "dev", "exec", "true"], capture_output=True, text=True, check=True)
        return done.stderr

    assert "not this checkout's" not in said()
    another = tmp_path / "helper"
    shutil.copytree(CHECKOUT / "helper", another)
    (another / "disktuner_helper/__init__.py").write_text('__version__ = "0.0.1"\n')
    installed = sudo("cat", HELPER)
    sudo("tee", HELPER, stdin=installed.replace(str(CHECKOUT / "helper"), str(another)))
    try:
        assert "its helper is not this checkout's" in said()
    finally:
        sudo("tee", HELPER, stdin=installed)
