# SPDX-License-Identifier: GPL-3.0-or-later
"""The version is pyproject.toml's or the installed one; the commit is added unless it is tagged as a release."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from disktuner.cli.main import DISKTUNER, Program, main
from disktuner.version import version
from disktuner_fleet.__main__ import FLEET

CHECKOUT = Path(__file__).resolve().parents[2]
IDENTITY = ("-c", "user.name=x", "-c", "user.email=x@example.org")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A checkout's files that give the version, without git."""
    (tmp_path / "app/disktuner").mkdir(parents=True)
    for name in ("__init__.py", "version.py", "opening.py"):
        shutil.copy(CHECKOUT / "app/disktuner" / name, tmp_path / "app/disktuner")
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\nversion = "1.2rc3"\n')
    return tmp_path


def said(tree: Path) -> list[str]:
    return ran(tree, "from disktuner.version import commit, version; print(version(), commit())")


def ran(tree: Path, program: str) -> list[str]:
    command = (sys.executable, "-c", program)
    completed = subprocess.run(command, cwd=tree / "app", check=True, capture_output=True, text=True)
    return completed.stdout.split()


def test_without_git_it_is_the_projects(tree: Path) -> None:
    assert said(tree) == ["1.2rc3"]


def test_what_is_installed_says_what_was_written_with_it(tree: Path) -> None:
    (tree / "app/version").write_text("1.2 0123456789ab\n")
    assert said(tree) == ["1.2", "0123456789ab"]


def test_what_is_installed_is_no_checkout(tree: Path) -> None:
    program = "from disktuner.version import is_checkout; print(is_checkout())"
    assert ran(tree, program) == ["True"]
    (tree / "app/version").write_text("1.2\n")
    assert ran(tree, program) == ["False"]


@pytest.mark.parametrize("program", [DISKTUNER, FLEET], ids=lambda program: program.name)
def test_it_is_printed_as_what_was_asked_for_not_as_an_error(
    program: Program, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["--version"], program)
    output = capsys.readouterr()
    assert (ended.value.code, output.err) == (0, "")
    assert output.out.startswith(f"{program.name} {version()}")
