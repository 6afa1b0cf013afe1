# SPDX-License-Identifier: GPL-3.0-or-later
"""The helper needs only what it may, and what matters in it is tested in every branch."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[3]
HELPER = CHECKOUT / "helper/disktuner_helper"
SOURCES = sorted(HELPER.rglob("*.py"))
TESTED_THROUGHOUT = ("authority", "queue", "persist", "trial")


def test_it_imports_nothing_but_the_standard_library_gi_and_pydbus() -> None:
    imported: set[str] = set()
    for node in (node for source in SOURCES for node in ast.walk(ast.parse(source.read_text()))):
        if isinstance(node, ast.Import):
            imported |= {one.name.partition(".")[0] for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module
            imported.add(node.module.partition(".")[0])
    assert imported <= sys.stdlib_module_names | {"gi", "pydbus", "disktuner_helper"}


@pytest.mark.long
def test_every_branch_of_what_matters_is_tested(tmp_path: Path) -> None:
    environment = {**os.environ, "COVERAGE_FILE": str(tmp_path / "coverage"), "COVERAGE_CORE": "ctrace"}
    tests = [str(file) for file in Path(__file__).parent.glob("test_*.py") if file != Path(__file__)]
    only = "--include=" + ",".join(str(HELPER / f"{name}.py") for name in TESTED_THROUGHOUT)
    runs = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--basetemp", str(tmp_path / "pytest"), *tests]
    for words in (["run", "--branch", only, *runs], ["report", "--show-missing", "--fail-under=100"]):
        done = subprocess.run(
            [sys.executable, "-m", "coverage", *words],
            cwd=CHECKOUT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout
    assert done.stdout.count("100%") == len(TESTED_THROUGHOUT) + 1
