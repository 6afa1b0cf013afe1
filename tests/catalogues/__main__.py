# SPDX-License-Identifier: GPL-3.0-or-later
"""``./dev languages [FILE.po...]``: updates all catalogues, and the files that hold their translations.

The translations of FILEs, which name their language themselves, are taken over. What is left to do is listed.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from tests.catalogues.catalogue import TRANSLATED, file_of, open_ids, read, take, translations, up_to_date, written
from tests.catalogues.content import all_said
from tests.catalogues.files import CONTEXTS
from tests.catalogues.files import written as with_translations


def main(paths: Sequence[str]) -> None:
    """Write what has changed."""
    translated = [read(Path(path)) for path in paths]
    sentences = all_said()
    catalogues = {}
    for id_ in TRANSLATED:
        file = file_of(id_)
        catalogue = up_to_date(read(file) if file.exists() else None, sentences, id_)
        for other in translated:
            if other.locale_identifier == id_:
                print(f"{id_}: {take(catalogue, other)} translations taken")
        _write(file, written(catalogue))
        catalogues[id_] = catalogue
    for file in CONTEXTS:
        _write(file, with_translations(file, lambda *text: translations(catalogues, *text)))
    for id_, catalogue in catalogues.items():
        left = list(open_ids(catalogue))
        print("\n  ".join([f"{id_}: {len(left)} of {len(sentences)} texts to translate", *left]))


def _write(file: Path, text: str) -> None:
    if not file.exists() or file.read_text(encoding="utf-8") != text:
        file.write_text(text, encoding="utf-8")
        print(f"wrote {file}")


if __name__ == "__main__":
    main(sys.argv[1:])
