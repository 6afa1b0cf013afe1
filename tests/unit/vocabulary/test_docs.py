# SPDX-License-Identifier: GPL-3.0-or-later
"""The documents' tables say what the program does."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests import docs_tables

DOCUMENTS = sorted(docs_tables.DOCS.glob("*.md"))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_the_tables_are_those_of_the_vocabulary(document: Path) -> None:
    text = document.read_text()
    assert docs_tables.renewed(text) == text, "run ./dev docs"


def test_every_table_stands_somewhere() -> None:
    found = [found["name"] for path in DOCUMENTS for found in docs_tables.BLOCK.finditer(path.read_text())]
    assert sorted(found) == sorted(docs_tables.TABLES)
