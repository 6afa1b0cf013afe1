# SPDX-License-Identifier: GPL-3.0-or-later
"""The version is pyproject.toml's or the installed one; the commit is added unless it is tagged as a release."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from tests.unit.test_version import IDENTITY, said


def git(tree: Path, *words: str) -> None:
    subprocess.run(("git", *IDENTITY, "-C", tree, *words), check=True, capture_output=True)


def test_a_checkout_says_its_commit_unless_that_is_the_release(tree: Path) -> None:
    git(tree, "init", "-q")
    git(tree, "commit", "-q", "--allow-empty", "-m", "one")
    version, commit = said(tree)
    assert version == "1.2rc3" and re.fullmatch("[0-9a-f]{12}", commit)
    git(tree, "tag", "v1.2rc3")
    assert said(tree) == ["1.2rc3"]
    git(tree, "commit", "-q", "--allow-empty", "-m", "two")
    assert re.fullmatch(r"v1\.2rc3-1-g[0-9a-f]{12}", said(tree)[1])
