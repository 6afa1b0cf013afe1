# SPDX-License-Identifier: GPL-3.0-or-later
"""The helper imports only what it may, and runs nothing but udevadm."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

SOURCES = sorted((Path(__file__).parents[3] / "helper/disktuner_helper").rglob("*.py"))


STARTS = re.compile(r"\b(subprocess|os\.(system|popen|exec\w*|spawn\w*|posix_spawn\w*|fork\w*)|pty|multiprocessing)\b")


def test_one_module_starts_a_program_and_that_is_udevadm() -> None:
    """Its arguments are checked in test_persist.py."""
    starting = {source.name: source.read_text() for source in SOURCES if STARTS.search(source.read_text())}
    assert starting.keys() == {"persist.py"}
    assert re.findall(r"subprocess\.[a-z]\w*\(.{20}", starting["persist.py"]) == ['subprocess.run(["/usr/bin/udevadm",']


def test_it_imports_nothing_but_the_standard_library_gi_and_pydbus() -> None:
    imported: set[str] = set()
    for node in (node for source in SOURCES for node in ast.walk(ast.parse(source.read_text()))):
        if isinstance(node, ast.Import):
            imported |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module
            imported.add(node.module.partition(".")[0])
    assert imported <= sys.stdlib_module_names | {"gi", "pydbus", "disktuner_helper"}
