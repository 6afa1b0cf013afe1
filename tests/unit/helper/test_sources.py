# SPDX-License-Identifier: GPL-3.0-or-later
"""The helper stays small enough to audit, needs only what it may, and the parts that matter are tested throughout."""

from __future__ import annotations

import ast
import io
import os
import subprocess
import sys
import tokenize
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[3]
HELPER = CHECKOUT / "helper/disktuner_helper"
SOURCES = sorted(HELPER.rglob("*.py"))
NOT_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
TESTED_THROUGHOUT = ("authority", "queue", "persist", "trial")


def lines_of_code(text: str) -> int:
    """Lines with something on them, without comments, blank lines and docstrings."""
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NOT_CODE:
            lines |= set(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            lines -= set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    return len(lines)


def test_the_count_counts() -> None:
    text = '"""Doc.\n\nMore."""\n\n# comment\nx = 1  # too\n\n\ndef f(\n    a,\n):\n    """Doc."""\n    return a\n'
    assert lines_of_code(text) == 5


def test_the_helper_is_small() -> None:
    assert sum(lines_of_code(source.read_text()) for source in SOURCES) <= 900


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_it_imports_nothing_but_the_standard_library_gi_and_pydbus(source: Path) -> None:
    imported: set[str] = set()
    for node in ast.walk(ast.parse(source.read_text())):
        if isinstance(node, ast.Import):
            imported |= {one.name.partition(".")[0] for one in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module
            imported.add(node.module.partition(".")[0])
    assert imported <= sys.stdlib_module_names | {"gi", "pydbus", "disktuner_helper"}
    assert ("pydbus" in imported) == (source.stem == "door")


def test_every_branch_of_what_matters_is_tested(tmp_path: Path) -> None:
    data = {**os.environ, "COVERAGE_FILE": str(tmp_path / "coverage"), "COVERAGE_CORE": "ctrace"}
    coverage = [sys.executable, "-m", "coverage"]
    only = "--include=" + ",".join(str(HELPER / f"{name}.py") for name in TESTED_THROUGHOUT)
    tests = [str(Path(__file__).with_name(f"test_{name}.py")) for name in TESTED_THROUGHOUT]
    pytest_ = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "--basetemp", str(tmp_path / "pytest"), *tests]
    ran = subprocess.run(
        [*coverage, "run", "--branch", only, *pytest_],
        cwd=CHECKOUT,
        env=data,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout
    shown = subprocess.run(
        [*coverage, "report", "--show-missing", "--fail-under=100"],
        cwd=CHECKOUT,
        env=data,
        capture_output=True,
        text=True,
        check=False,
    )
    assert shown.returncode == 0, shown.stdout
    assert shown.stdout.count("100%") == len(TESTED_THROUGHOUT) + 1
