# SPDX-License-Identifier: GPL-3.0-or-later
"""What `./dev` installs: it says what and how much, asks where somebody is there, and survives others' locks."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest

from tests.conftest import Sudo
from tests.end2end.throw_away import ThrowAway, copied, to_install_into

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


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A checkout that was never set up, which needs one library that can be had without a network."""
    checkout, wheel = copied(tmp_path / "checkout"), tmp_path / "tiny-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("tiny.py", "")
        archive.writestr("tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        archive.writestr("tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr("tiny-1.0.dist-info/RECORD", "")
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    (checkout / "requirements/app.lock").write_text(f"tiny==1.0 \\\n    --hash=sha256:{digest}\n")
    return checkout


@pytest.fixture
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ThrowAway]:
    """A machine whose own Python has what the checkout needs besides."""
    with to_install_into(tmp_path_factory.mktemp("usr")) as made:
        yield made


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


def test_libraries_come_where_they_are_looked_for_whatever_pip_is_told(
    bare: Path, system: ThrowAway, tmp_path: Path
) -> None:
    config, elsewhere = tmp_path / "pip.conf", tmp_path / "elsewhere"
    astray = ["user = true", *(f"{option} = {elsewhere}" for option in ("target", "prefix", "root"))]
    config.write_text("\n".join(["[global]", "no-index = true", f"find-links = {tmp_path}", "[install]", *astray]))
    environment = {"PIP_CONFIG_FILE": str(config), "HOME": str(tmp_path / "home")}

    done = system.run(bare / "dev", "setup", env=environment)

    assert done.returncode == 0, done.stderr
    assert list(bare.glob(".venv/lib/python*/site-packages/tiny.py"))
    assert (bare / ".venv/installed").exists() and not elsewhere.exists()


def test_what_cannot_be_loaded_is_not_taken_for_installed(bare: Path, machine: ThrowAway) -> None:
    """Here one without the libraries, and a list that has none of them."""
    (bare / "requirements/app.lock").write_text("")
    done = machine.run(bare / "dev", "setup")
    assert done.returncode == 1 and "cannot be used" in done.stderr and not (bare / ".venv/installed").exists()


def test_a_source_of_somebody_elses_that_fails_stops_nothing(stubs: Path) -> None:
    said = stubs / "said"
    (stubs / "apt-get").write_text(
        APT.format(said=said).replace("E: Could not get lock /var/lib/apt/lists/lock", "E: The repository is gone")
    )
    done = subprocess.run([CHECKOUT / "dev", "setup"], env=path(stubs), capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "apt-get update failed" in done.stderr and "repository is gone" in done.stderr
    assert said.read_text().count("apt-get update") == 1 and "apt-get install -qq" in said.read_text()


@pytest.mark.parametrize(
    ("command", "preparation", "said"),
    [
        ("setup", "chmod -R a-w {checkout}", "you may not write in {checkout}"),
        ("test", "chmod go-r {checkout}/app/disktuner/__main__.py", "chmod -R go+rX {checkout}"),
        ("test", "printf '#!/bin/sh\nexit 1\n' >{stubs}/sudo", "as a user who may use sudo"),
        ("test", "printf '#!/bin/sh\nexit 1\n' >{stubs}/unshare; chmod +x {stubs}/unshare", "--privileged"),
        ("run", "", "lies in memory"),
    ],
)
def test_what_cannot_end_well_is_said_before_anything_is_downloaded(
    command: str, preparation: str, said: str, bare: Path, stubs: Path
) -> None:
    names = {"checkout": str(bare), "stubs": str(stubs)}
    subprocess.run(preparation.format(**names), shell=True, check=True)
    done = subprocess.run(
        [bare / "dev", command], env=path(stubs), cwd="/dev/shm", capture_output=True, text=True, check=False
    )
    assert done.returncode == 1 and said.format(**names) in done.stderr
    assert len(done.stderr.splitlines()) == 1 and not (stubs / "said").exists() and not (bare / ".venv").exists()


def test_root_in_somebodys_checkout_leaves_nothing_that_is_not_theirs(bare: Path, machine: ThrowAway) -> None:
    (bare / "requirements/app.lock").write_text("")
    machine.run(bare / "dev", "setup")
    assert (bare / ".venv").exists()
    assert {found.lstat().st_uid for found in bare.rglob("*")} == {os.getuid()}
