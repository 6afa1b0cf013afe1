# SPDX-License-Identifier: GPL-3.0-or-later
"""Links between documents lead to existing files and headings, and the index names all of docs/."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([*CHECKOUT.glob("*.md"), *(CHECKOUT / "docs").rglob("*.md"), CHECKOUT / "packaging/REVIEW.md"])


def links(document: Path) -> Iterator[tuple[Path, str]]:
    """Return the files that a document links to with their headings; no external ones."""
    for target in re.findall(r"\]\(([^)\s]+)\)", document.read_text(encoding="utf-8")):
        if "://" not in target:
            file, _, heading = target.partition("#")
            yield (document.parent / file).resolve() if file else document, heading


def headings(document: Path) -> set[str]:
    """Return the headings as forges write them in addresses."""
    headings = re.findall(r"^#+ (.+)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(CHECKOUT)))
def test_links_lead_somewhere(document: Path) -> None:
    for file, heading in links(document):
        assert file.exists(), file
        assert not heading or heading in headings(file), f"{file.name}#{heading}"


def test_the_index_names_every_document() -> None:
    index = CHECKOUT / "docs/README.md"
    named = {file for file, _ in links(index)}
    assert {*(CHECKOUT / "docs").glob("*.md"), *(CHECKOUT / "docs/languages").glob("*.md")} <= named | {index}
