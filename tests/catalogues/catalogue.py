# SPDX-License-Identifier: GPL-3.0-or-later
"""One language's catalogue: read, brought up to date with the English text, written."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from babel import Locale
from babel.messages.catalog import Catalog, Message
from babel.messages.pofile import read_po, write_po

from disktuner import __version__
from disktuner.vocabulary.languages import LANGUAGES
from tests.catalogues.content import Said, Words

FOLDER = Path(__file__).parents[2] / "resources" / "languages"
TRANSLATED = tuple(id_ for id_ in LANGUAGES if id_ != "en")


def file_of(id_: str) -> Path:
    """Return the file of a language's catalogue."""
    return FOLDER / f"{id_}.po"


def read(file: Path) -> Catalog:
    """Read a catalogue. Raises ``ValueError`` for a malformed line."""
    with file.open("rb") as opened:
        return read_po(opened, abort_invalid=True)


def written(catalogue: Catalog) -> str:
    """Return a catalogue as a file, a line per text, in the order of its entries."""
    out = io.BytesIO()
    write_po(out, catalogue, width=0)
    return out.getvalue().decode()


def open_ids(catalogue: Catalog) -> Iterator[str]:
    """Return what is left to translate: context and English of each entry that is empty or may be out of date."""
    for entry in entries(catalogue):
        if entry.fuzzy or not all(forms(entry)):
            yield f"{entry.context}: {_first(entry).rstrip()}"


def up_to_date(old: Catalog | None, sentences: Iterable[Said], id_: str) -> Catalog:
    """Return a catalogue of the current English, with the old one's translations.

    New texts have none. If an id's English was changed, its translation is fuzzy until somebody has reviewed it.
    Removed texts stay at the end, as obsolete.
    """
    new = _empty(old, id_)
    known = {key_of(entry): entry for entry in (*(old.obsolete.values() if old else ()), *entries(old))}
    by_id = {entry.context: entry for entry in entries(old) if entry.context not in _SHARED}
    for sentence in sentences:
        _add(new, sentence, known.pop(sentence.key, None) or by_id.get(sentence.context))
    contexts = {entry.context for entry in entries(new)} - _SHARED
    for gone in known.values():
        if gone.context not in contexts and any(forms(gone)):
            new.obsolete[_first(gone), gone.context] = gone
    return new


def take(catalogue: Catalog, other: Catalog) -> int:
    """Take another catalogue's translations of the same texts; return how many."""
    count, by_key = 0, {key_of(entry): entry for entry in entries(other)}
    for entry in entries(catalogue):
        translated = by_key.get(key_of(entry))
        if (
            translated is None
            or translated.fuzzy
            or not all(forms(translated))
            or len(forms(translated)) != len(forms(entry))
        ):
            continue
        if entry.fuzzy or forms(translated) != forms(entry):
            entry.string, count = translated.string, count + 1
            entry.flags.discard("fuzzy")
            entry.previous_id = []
            catalogue.revision_date = datetime.now(UTC)
    return count


_SHARED = frozenset({"fact", "number", "polkit", "desktop", "appstream"})
"""Contexts of more than one text: which English became which is not known there."""
_ADDRESS = "developers@disktuner.org"


def _empty(old: Catalog | None, id_: str) -> Catalog:
    language = Locale.parse(id_).english_name or id_
    return Catalog(
        locale=id_,
        header_comment=f"# Disktuner's catalogue: {language}.\n# SPDX-License-Identifier: GPL-3.0-or-later\n#",
        project="Disktuner",
        version=__version__,
        msgid_bugs_address=_ADDRESS,
        creation_date=old.creation_date if old else None,
        revision_date=old.revision_date if old else datetime.now(UTC),
        last_translator=f"The Disktuner developers <{_ADDRESS}>",
        language_team=language,
        charset="UTF-8",
        fuzzy=False,
    )


def _add(new: Catalog, sentence: Said, before: Message | None) -> None:
    """Add a sentence with its translation, which may belong to an earlier English."""
    english, was = sentence.english, forms(before) if before is not None else ()
    translated = any(was)
    changed = translated and before is not None and before.id != english
    new.add(
        english,
        context=sentence.context,
        auto_comments=[sentence.where] if sentence.where else (),
        user_comments=before.user_comments if before is not None else (),
        flags={"fuzzy"} if translated and before is not None and (before.fuzzy or changed) else (),
        previous_id=before.id if changed and before is not None else (),
    )
    added = new.get(english, sentence.context)
    added.string = fitting(was, english, new)
    if sentence.where != "usage":
        added.flags.discard("python-format")  # a percent sign, not a place


def fitting(was: tuple[str, ...], english: Words, catalogue: Catalog) -> str | tuple[str, ...]:
    """Return a translation's forms as its English needs them, even if that gained or lost a plural."""
    last, count = was[-1] if was else "", catalogue.num_plurals
    if isinstance(english, str):
        return last
    return was if len(was) == count else (last,) * count


def entries(catalogue: Catalog | None) -> list[Message]:
    """Return a catalogue's entries, without its header."""
    return [entry for entry in catalogue if entry.id] if catalogue is not None else []


def forms(entry: Message) -> tuple[str, ...]:
    """Return a text's translation, or its plural forms."""
    return (entry.string or "",) if isinstance(entry.string, str | None) else tuple(entry.string)


def _first(entry: Message) -> str:
    return str(entry.id if isinstance(entry.id, str) else entry.id[0])


def key_of(entry: Message) -> tuple[str, str]:
    return entry.context or "", _first(entry)


def translations(catalogues: Mapping[str, Catalog], context: str, english: str) -> dict[str, str]:
    """Return the finished translations of a text by language."""
    entry = {id_: catalogue.get(english, context) for id_, catalogue in catalogues.items()}
    return {id_: str(entry.string) for id_, entry in entry.items() if entry and entry.string and not entry.fuzzy}
