# SPDX-License-Identifier: GPL-3.0-or-later
"""A release is made from a commit with its version; a candidate sorts before it; other trees are not released."""

from __future__ import annotations

import importlib.util
import itertools
import re
import shutil
import subprocess
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest
from tests.distribution.test_version import git

CHECKOUT = Path(__file__).resolve().parents[2]
METADATA = "resources/metainfo/org.disktuner.Disktuner.metainfo.xml"
CHANGELOG = ("packaging/changelog", "app/disktuner/__init__.py", "app/disktuner/version.py",
             "app/disktuner/opening.py", "CHANGELOG.md", METADATA, "pyproject.toml")  # fmt: skip


def copied(tree: Path, *names: str) -> Path:
    for name in names:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(CHECKOUT / name, tree / name)
    return tree


@pytest.fixture
def release(tmp_path: Path) -> ModuleType:
    """The release script of a checkout with one commit, in which 1.2 is due."""
    copied(tmp_path, "packaging/release", "packaging/suites")
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "1.2"\n')
    (tmp_path / "CHANGELOG.md").write_text("## 1.2\n")
    (tmp_path / METADATA).parent.mkdir(parents=True)
    (tmp_path / METADATA).write_text('<release version="1.2" date="2027-01-31"/>\n')
    for words in (("init", "-q"), ("add", "."), ("commit", "-q", "-m", "x")):
        git(tmp_path, *words)
    loader = SourceFileLoader("release", str(tmp_path / "packaging/release"))
    spec = importlib.util.spec_from_loader("release", loader)
    assert spec
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


@pytest.mark.parametrize("version", ["1.3", "1.2rc1", "1.2~beta", "1.20", "1-2"])
def test_another_version_than_the_projects_is_refused(release: ModuleType, version: str) -> None:
    with pytest.raises(SystemExit, match=r"says 1\.2\. Release that, or 1\.2~rc1"):
        release.refuse_unfinished(version)


def test_what_is_not_committed_is_not_released(release: ModuleType) -> None:
    release.refuse_unfinished("1.2")
    release.refuse_unfinished("1.2~rc3")
    (release.CHECKOUT / "pyproject.toml").write_text('version = "1.2"\n')
    with pytest.raises(SystemExit, match=r"pyproject\.toml"):
        release.refuse_unfinished("1.2")


@pytest.mark.parametrize(
    ("name", "words"),
    [("CHANGELOG.md", "## 1.2 (unreleased)\n"), (METADATA, '<release version="1.2" type="development"/>\n')],
)
def test_what_calls_itself_unreleased_is_a_candidate_at_most(release: ModuleType, name: str, words: str) -> None:
    (release.CHECKOUT / name).write_text(words)
    git(release.CHECKOUT, "commit", "-qam", "x")
    release.refuse_unfinished("1.2~rc1")
    with pytest.raises(SystemExit, match=f"{name} still says"):
        release.refuse_unfinished("1.2")


def test_the_sources_have_the_candidates_version(release: ModuleType, tmp_path: Path) -> None:
    release.export(tmp_path / "exported", "1.2~rc3")
    assert (tmp_path / "exported/pyproject.toml").read_text() == '[project]\nversion = "1.2rc3"\n'
    assert not (tmp_path / "exported/.git").exists()


def test_files_that_differ_are_named(release: ModuleType, tmp_path: Path) -> None:
    folders = tmp_path / "one", tmp_path / "two"
    for folder in folders:
        folder.mkdir()
        (folder / "same.deb").write_text("same")
        (folder / "other.deb").write_text(folder.name)
    (folders[0] / "only.rpm").write_text("")
    with pytest.raises(SystemExit, match=r"these differ: only\.rpm other\.deb"):
        release.refuse_different(*folders)


def test_the_notes_say_which_files_are_for_which_system(release: ModuleType, tmp_path: Path) -> None:
    for name in ("disktuner_1.2-0deb12_amd64", "disktuner-helper_1.2-0deb12_all", "disktuner-fleet_1.2-0deb12_all",
                 "disktuner_1.2-0ubuntu24.04_amd64", "disktuner-helper_1.2-0ubuntu24.04_all"):  # fmt: skip
        (tmp_path / f"{name}.deb").touch()
    rows = [line for line in release.how_to_install(tmp_path).splitlines() if "apt" in line]
    debs = "./disktuner_1.2-0{0} ./disktuner-helper_1.2-0{1}_all.deb"
    assert rows == [
        f"| Debian 12 (bookworm) | `sudo apt install {debs.format('deb12_amd64.deb', 'deb12')}` |",
        f"| Ubuntu 24.04 (noble) | `sudo apt install {debs.format('ubuntu24.04_amd64.deb', 'ubuntu24.04')}` |",
    ]


def test_github_changes_no_name_of_what_is_published() -> None:
    """SHA256SUMS and .dsc name them, too. Some of what uploads there changes a + as well."""
    (revision,) = re.findall(r'" debian "\$suite" "(\S*)\$suffix"', (CHECKOUT / "packaging/package").read_text())
    assert re.fullmatch(r"[\w.-]+", revision, re.ASCII)
    order = [f"1.2-{revision}{suffix}" for suffix in ("deb12", "deb13", "ubuntu24.04")] + ["1.2-1"]
    for older, newer in itertools.pairwise(order):
        subprocess.run(("dpkg", "--compare-versions", older, "lt", newer), check=True)


def test_a_candidates_packages_sort_before_the_release(tmp_path: Path) -> None:
    tree = copied(tmp_path, *CHANGELOG)
    project = tree / "pyproject.toml"
    (stated,) = (line for line in project.read_text().splitlines() if line.startswith("version = "))
    project.write_text(project.read_text().replace(stated, f'{stated[:-1]}rc1"'))
    version = stated.removeprefix('version = "')[:-1]

    def said(*words: str) -> str:
        return subprocess.run((tree / "packaging/changelog", *words), check=True, capture_output=True, text=True).stdout

    assert said("version") == f"{version}~rc1\n" and said("origin") == f"{version}rc1\n"
    assert said("debian", "trixie", "0deb13", "X <x@x>").startswith(f"disktuner ({version}~rc1-0deb13) trixie;")
    assert f" - {version}~rc1-1\n" in said("rpm", "X <x@x>")
