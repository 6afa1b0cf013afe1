# SPDX-License-Identifier: GPL-3.0-or-later
"""What `./dev` installs: it says what and how much, asks if somebody is there, and survives others' locks."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pexpect
import pytest

from tests.conftest import Sudo
from tests.end2end.throw_away import CHECKOUT, ThrowAway, copied, to_install_into

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
    """A machine that lacks sysbench, where another program holds the locks at first; ``said`` logs the programs'
    arguments.
    """
    log = tmp_path / "said"
    programs = {"apt-get": APT.format(said=log), "dpkg-query": MISSING, "sudo": AS_ROOT}
    programs["dpkg"] = f'#!/bin/sh\necho "dpkg $*" >>{log}\n'
    for name, text in programs.items():
        make_program(tmp_path / name, text)
    return tmp_path


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A fresh checkout that needs one library, available without a network."""
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
    """A machine whose own Python has everything else that the checkout needs."""
    with to_install_into(tmp_path_factory.mktemp("usr")) as system:
        yield system


def path(stubs: Path) -> dict[str, str]:
    return {**os.environ, "PATH": f"{stubs}:{os.environ['PATH']}", "CI": ""}


def dev(*words: str, checkout: Path = CHECKOUT, **how: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([checkout / "dev", *words], capture_output=True, text=True, check=False, **how)


def make_program(file: Path, text: str) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    file.chmod(0o755)


def test_another_programs_locks_are_waited_for_and_half_an_installation_is_finished(stubs: Path) -> None:
    completed = dev("setup", env=path(stubs))
    assert completed.returncode == 0, completed.stderr
    assert (
        "2 MB to download" in completed.stderr
        and "sysbench" in completed.stderr
        and "waiting for another" in completed.stderr
    )
    commands = (stubs / "said").read_text()
    assert (
        commands.count("apt-get update") == 3
        and "dpkg --configure -a" in commands
        and commands.count("apt-get install -qq -y") == 2
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


def test_what_apt_does_not_know_yet_is_said_without_its_size(stubs: Path) -> None:
    """As where the lists were removed, which most images of containers do."""
    (stubs / "apt-get").write_text('#!/bin/sh\ncase "$*" in *--print-uris*) exit 100 ;; esac\n')
    completed = subprocess.run(
        [CHECKOUT / "dev", "setup"], env=path(stubs), capture_output=True, text=True, check=False
    )
    assert completed.returncode == 0 and "of the distribution: sysbench" in completed.stderr


@pytest.mark.parametrize("command", ["run", "setup", "check", "docs", "lock", "install"])
def test_who_asks_for_help_starts_nothing(command: str, stubs: Path) -> None:
    completed = subprocess.run(
        [CHECKOUT / "dev", command, "--help"], env=path(stubs), capture_output=True, text=True, check=False
    )
    assert completed.returncode == 2 and f"{command} takes no arguments" in completed.stderr
    assert not (stubs / "said").exists()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("test --elsewhere", "is no release"),
        ("test --elsewhere woody", "is no release"),
        ("test --elsewhere bookworm nobody", "is nobody who tests"),
        ("package .*", "is no release"),
        ("languages nothing.po", "nothing.po: No such file"),
    ],
)
def test_names_of_nothing_are_said_at_once(words: str, complaint: str) -> None:
    argv = [CHECKOUT / "dev", "--installed", *words.split()]
    completed = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert completed.returncode == 1 and complaint in completed.stderr and len(completed.stderr.splitlines()) == 1


def test_a_checkout_that_only_its_owner_may_change_is_used_as_it_is(tmp_path: Path) -> None:
    """Also after its owner has fetched a later version, which is not compiled yet."""
    checkout = copied(tmp_path / "checkout")
    (checkout / ".venv").symlink_to(CHECKOUT / ".venv")
    subprocess.run(["chmod", "-R", "a-w", checkout], check=True)
    completed = subprocess.run([checkout / "dev", "--installed", "setup"], capture_output=True, text=True, check=False)
    subprocess.run(["chmod", "-R", "u+w", checkout], check=True)
    assert completed.returncode == 0 and completed.stderr == ""


def test_another_distribution_is_told_what_to_install_and_can_go_on_then(tmp_path: Path) -> None:
    """Here one without dpkg."""
    for program in (*Path("/usr/sbin").iterdir(), *Path("/usr/bin").iterdir()):
        if not program.name.startswith(("dpkg", "apt")) and not (tmp_path / program.name).exists():
            (tmp_path / program.name).symlink_to(program)
    environment = {**os.environ, "PATH": str(tmp_path)}
    run = dev("setup", env=environment)
    assert run.returncode == 1 and "packages-run.txt" in run.stderr and "./dev --installed" in run.stderr
    completed = dev("--installed", "setup", env=environment)
    assert completed.returncode == 0, completed.stderr


def test_an_installed_helper_of_another_version_is_told(sudo: Sudo, tmp_path: Path) -> None:
    """If Disktuner is installed, as it is here, the installed helper is used."""

    def said() -> str:
        completed = dev("exec", "true")
        assert completed.returncode == 0
        return completed.stderr

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

    completed = system.run(bare / "dev", "setup", env=environment)

    assert completed.returncode == 0, completed.stderr
    assert list(bare.glob(".venv/lib/python*/site-packages/tiny.py"))
    assert (bare / ".venv/installed").exists() and not elsewhere.exists()


def test_who_has_no_network_is_told_that_it_needs_one(bare: Path, machine: ThrowAway) -> None:
    completed = machine.run(bare / "dev", "setup", env={"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": ""})
    assert completed.returncode == 1 and completed.stderr.endswith("With a network, start this again.\n")


def test_what_cannot_be_loaded_is_not_taken_for_installed(bare: Path, machine: ThrowAway) -> None:
    """Here one without the libraries, and a list without them."""
    (bare / "requirements/app.lock").write_text("")
    completed = machine.run(bare / "dev", "setup")
    assert (
        completed.returncode == 1 and "cannot be used" in completed.stderr and not (bare / ".venv/installed").exists()
    )


def test_a_source_of_somebody_elses_that_fails_stops_nothing(stubs: Path) -> None:
    log = stubs / "said"
    (stubs / "apt-get").write_text(
        APT.format(said=log).replace("E: Could not get lock /var/lib/apt/lists/lock", "E: The repository is gone")
    )
    completed = dev("setup", env=path(stubs))
    assert (
        completed.returncode == 0
        and "apt-get update failed" in completed.stderr
        and "repository is gone" in completed.stderr
    )
    assert log.read_text().count("apt-get update") == 1 and "apt-get install -qq" in log.read_text()


@pytest.mark.parametrize(
    ("command", "preparation", "complaint"),
    [
        ("setup", "chmod -R a-w {checkout}", "you may not write in {checkout}"),
        ("test", "chmod go-r {checkout}/app/disktuner/__main__.py", "chmod -R go+rX {checkout}"),
        ("test", "printf '#!/bin/sh\nexit 1\n' >{stubs}/sudo", "as a user who may use sudo"),
        ("test", "printf '#!/bin/sh\nexit 1\n' >{stubs}/unshare; chmod +x {stubs}/unshare", "--privileged"),
        ("run", "", "lies in memory"),
    ],
)
def test_what_cannot_end_well_is_said_before_anything_is_downloaded(
    command: str, preparation: str, complaint: str, bare: Path, stubs: Path
) -> None:
    names = {"checkout": str(bare), "stubs": str(stubs)}
    subprocess.run(preparation.format(**names), shell=True, check=True)
    completed = dev(command, checkout=bare, env=path(stubs), cwd="/dev/shm")
    assert completed.returncode == 1 and complaint.format(**names) in completed.stderr
    assert len(completed.stderr.splitlines()) == 1 and not (stubs / "said").exists() and not (bare / ".venv").exists()


def test_root_in_somebodys_checkout_leaves_nothing_that_is_not_theirs(bare: Path, machine: ThrowAway) -> None:
    (bare / "requirements/app.lock").write_text("")
    machine.run(bare / "dev", "setup")
    assert (bare / ".venv").exists()
    assert {path.lstat().st_uid for path in bare.rglob("*")} == {os.getuid()}


def test_a_checkout_may_lie_in_a_folder_of_any_name(machine: ThrowAway, tmp_path: Path) -> None:
    checkout = copied(tmp_path / 'R&D | "it\'s"\\n\n/checkout')
    (checkout / ".venv").symlink_to(CHECKOUT / ".venv")
    completed = machine.run(checkout / "dev", "exec", "disktuner", "status", cwd=tmp_path, env={"HOME": str(tmp_path)})
    assert completed.returncode == 0 and not completed.stderr


def laid(checkout: Path, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """What Debian 12's packages are built from, in a folder, with libraries from that of the checkout alone."""
    folder.mkdir()
    variables = {"XDG_CACHE_HOME": str(checkout / "cache"), "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(checkout.parent)}
    words = (checkout / "packaging/package", "sources", "bookworm", folder, "3.11")
    return subprocess.run(words, env=os.environ | variables | environment, capture_output=True, text=True, check=False)


def test_a_package_is_not_built_without_its_libraries(bare: Path, tmp_path: Path) -> None:
    failed = laid(bare, tmp_path / "offline", PIP_FIND_LINKS="/nowhere")
    assert failed.returncode != 0 and "No matching distribution" in failed.stderr
    assert laid(bare, tmp_path / "online").returncode == 0
    assert [path.name for path in tmp_path.glob("online/*/wheels/*")] == ["tiny-1.0-py3-none-any.whl"]


PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
AFTER_ANOTHER = """#!/bin/sh
PATH={path} {command} >&2
PATH={path} exec mv "$@"
"""


def test_libraries_that_two_builds_download_at_once_are_kept_once(bare: Path, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    other = f"{bare}/packaging/package sources bookworm {tmp_path}/other 3.11"
    make_program(tmp_path / "mv", AFTER_ANOTHER.format(path=os.environ["PATH"], command=other))
    completed = laid(bare, tmp_path / "one", PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert completed.returncode == 0, completed.stderr
    for folder in ("one", "other"):
        assert [path.name for path in tmp_path.glob(f"{folder}/*/wheels/*")] == ["tiny-1.0-py3-none-any.whl"]


@pytest.mark.parametrize("suite", ["trixie", "noble"])
def test_a_root_that_two_make_at_once_is_made_once(suite: str, tmp_path: Path, sudo: Sudo) -> None:
    """As for noble, after an attempt without a network."""
    make = f"{CHECKOUT}/packaging/root make {suite} {tmp_path}/roots"
    unpacks = '#!/bin/sh\nshift $(($# - 2))\nmkdir -p "$1/root"\ntouch "$1/root/.profile"\n'
    stubs = {"failing/mmdebstrap": '#!/bin/sh\nshift $(($# - 2))\nmkdir -p "$1"\nexit 1\n', "other/mmdebstrap": unpacks}
    stubs |= {"one/mmdebstrap": unpacks, "one/mv": AFTER_ANOTHER.format(path=f"{tmp_path}/other:{PATH}", command=make)}
    for name, text in stubs.items():
        make_program(tmp_path / name, text)
    paths = {name: f"PATH={tmp_path}/{name}:{PATH}" for name in ("failing", "one")}
    with pytest.raises(AssertionError, match="ended with 1"):
        sudo("env", paths["failing"], *make.split())
    root = sudo("env", paths["one"], *make.split()).strip()
    assert sudo("find", tmp_path / "roots", "-type", "f") == f"{root}/root/.profile\n"
    assert sudo("find", tmp_path / "roots", "-mindepth", "1", "-maxdepth", "1") == f"{root}\n"
    sudo("rm", "-r", tmp_path / "roots")
