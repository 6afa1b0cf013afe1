# SPDX-License-Identifier: GPL-3.0-or-later
"""What distributions ask of packages: the same bytes wherever they are built, and no findings of their checkers."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Sudo
from tests.packages.conftest import HERE, SUITES, own_suite, root_of
from tests.packages.system import CHECKOUT, ROOT

pytestmark = pytest.mark.timeout(1800)

MADE_HERE = frozenset(("build", "dist", "results", "screenshots"))
RPMLINT = ("rpmlint", "--ignore-unused-rpmlintrc", "-r")
LINTIAN = ("lintian", "--pedantic", "--display-info", "--allow-root")
UNASKED = re.compile(r"N: |I: \S+: (unused-override|package-supports-alternative-init-but-no-init.d-script) ")
"""What one release's lintian asks and another's does not. The bus starts the helper under any init."""


class Elsewhere:
    """Another folder with other modes, a year later, in a language with other letters, far in the east."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "another place"
        self._checkout = self.folder / "sources"
        shutil.copytree(CHECKOUT, self._checkout, symlinks=True, ignore=_made)
        with (self._checkout / "app/version").open("w") as written:  # it has no .git
            subprocess.run([CHECKOUT / "packaging/changelog", "origin"], check=True, stdout=written)
        subprocess.run(["chmod", "-R", "go=", self._checkout], check=True)
        locales = folder / "locales"
        locales.mkdir()
        subprocess.run(["localedef", "-i", "tr_TR", "-f", "UTF-8", locales / "tr_TR.UTF-8"], check=True)
        self._variables = (
            f"PATH={os.environ['PATH']}", f"HOME={Path.home()}", f"LOCPATH={locales}", "LC_ALL=tr_TR.UTF-8",
            "TZ=Pacific/Chatham", "NO_FAKE_STAT=1",
            *(f"{name}={value}" for name, value in os.environ.items() if name[:3] in {"PIP", "XDG"}),
        )  # fmt: skip

    def package(self, *arguments: str | Path) -> tuple[str | Path, ...]:
        """Return the command that builds there."""
        script = 'umask 077; exec "$@"'
        whole = ("faketime", "-f", "+400d", "bash", "-c", script, "bash", self._checkout / "packaging/package")
        return "env", "-i", *self._variables, *whole, *arguments


def _made(folder: str, names: list[str]) -> set[str]:
    """Return what is generated in a checkout, by any user, and so may be unreadable to the one copying it."""
    hidden = shutil.ignore_patterns(".git", ".venv", ".*_cache", "__pycache__", ".hypothesis", ".coverage*")(
        folder, names
    )
    return hidden | (MADE_HERE & set(names) if Path(folder) == CHECKOUT else set())


@pytest.fixture
def elsewhere(tmp_path: Path) -> Elsewhere:
    return Elsewhere(tmp_path)


def digests(folder: Path, *kinds: str) -> dict[str, str]:
    paths = (path for kind in kinds for path in folder.glob(f"*.{kind}"))
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def as_somebody_or_root() -> tuple[str, ...]:
    """What starts steps that need namespaces: nothing where users may make them."""
    alone = subprocess.run(["unshare", "--map-root-user", "--mount", "true"], check=False).returncode == 0
    return () if alone else ("sudo", "-n")


@pytest.mark.long
def test_debs_are_the_same_wherever_they_are_built(
    built: Callable[[str], list[Path]], elsewhere: Elsewhere, sudo: Sudo
) -> None:
    packages = built(HERE)
    folder, python = elsewhere.folder / "out", f"{sys.version_info.major}.{sys.version_info.minor}"
    folder.mkdir()
    for step in (("sources", own_suite(), folder, python), ("build", folder)):
        words = ["sudo", "-n", *map(str, elsewhere.package(*step))]  # root's process of the tests is for what is quick
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.STDOUT)
    sudo("chmod", "-R", "a+rX", folder)
    ours = digests(packages[0].parent, "deb", "orig.tar.xz")
    assert len(ours) == 4 and digests(folder, "deb", "orig.tar.xz") == ours
    sudo("rm", "-r", folder)


@pytest.mark.long
def test_rpms_are_the_same_wherever_they_are_built_and_rpmlint_finds_nothing(
    tmp_path: Path, elsewhere: Elsewhere, sudo: Sudo
) -> None:
    built, rebuilt = tmp_path / "here", elsewhere.folder / "out"
    for folder in (built, rebuilt):
        folder.mkdir()
    subprocess.run([*as_somebody_or_root(), CHECKOUT / "packaging/package", "rpm", built], check=True)
    sudo(*elsewhere.package("rpm", rebuilt))
    sudo("chmod", "-R", "a+rX", rebuilt)
    ours = digests(built, "rpm")
    assert len(ours) == 4 and digests(rebuilt, "rpm") == ours
    sudo("rm", "-r", rebuilt)
    run = subprocess.run(
        [*RPMLINT, CHECKOUT / "packaging/rpm/disktuner.rpmlintrc", *built.glob("*.rpm")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert " 0 errors, 0 warnings" in run.stdout, run.stdout + run.stderr


@pytest.mark.long
def test_the_packages_of_arch_are_the_same_wherever_they_are_built(
    tmp_path: Path, elsewhere: Elsewhere, sudo: Sudo
) -> None:
    built, rebuilt = tmp_path / "here", elsewhere.folder / "out"
    for folder in (built, rebuilt):
        folder.mkdir()
    subprocess.run([*as_somebody_or_root(), CHECKOUT / "packaging/package", "arch", built], check=True)
    sudo(*elsewhere.package("arch", rebuilt))
    sudo("chmod", "-R", "a+rX", rebuilt)
    ours = digests(built, "pkg.tar*")
    assert len(ours) == 3 and digests(rebuilt, "pkg.tar*") == ours
    sudo("rm", "-r", rebuilt)
    with tarfile.open(next(built.glob("disktuner-helper-*.pkg.tar*"))) as archive:
        assert "usr/lib/systemd/system/disktuner-helper.service" in archive.getnames()
        assert {(member.uid, member.gid) for member in archive} == {(0, 0)}


@pytest.mark.parametrize(
    "place",
    [
        pytest.param(HERE, marks=pytest.mark.long),
        *(pytest.param(suite, marks=pytest.mark.machine) for suite in SUITES),
    ],
)
def test_lintian_finds_nothing(place: str, built: Callable[[str], list[Path]], sudo: Sudo) -> None:
    """Each release's own: one knows more than another, and only the packages of Debian 13 have a source to read."""
    changes = next(built(place)[0].parent.glob("*.changes"))
    words: list[str | Path] = [*LINTIAN, changes]
    if place != HERE:
        root = root_of(place, sudo, "lintian")
        words = ["sudo", "-n", ROOT, "run", root, f"{changes.parent}:{changes.parent}", "--", *words]
    run = subprocess.run(words, capture_output=True, text=True, check=False)
    findings = [line for line in run.stdout.splitlines() if not UNASKED.match(line)]
    assert (run.returncode, findings) == (0, [])
