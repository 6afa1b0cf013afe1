# SPDX-License-Identifier: GPL-3.0-or-later
"""One language's catalogue: read, brought up to date with what is said in English, written."""

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
    """A language's catalogue."""
    return FOLDER / f"{id_}.po"


def read(file: Path) -> Catalog:
    """Read a catalogue; ``ValueError`` for a line that is not of one."""
    with file.open("rb") as opened:
        return read_po(opened, abort_invalid=True)


def written(catalogue: Catalog) -> str:
    """A catalogue as a file, a line per text, in the order of its entries."""
    out = io.BytesIO()
    write_po(out, catalogue, width=0)
    return out.getvalue().decode()


def open_ids(catalogue: Catalog) -> Iterator[str]:
    """What is left to translate: the context and the English of each entry that is empty or may be out of date."""
    for each in entries(catalogue):
        if each.fuzzy or not all(forms(each)):
            yield f"{each.context}: {_first(each).rstrip()}"


def up_to_date(old: Catalog | None, said: Iterable[Said], id_: str) -> Catalog:
    """A catalogue of what is said now, with the translations of the old one.

    What is new has none. Where the English of an id was changed, its translation is fuzzy until somebody has looked at
    it. What is no longer said stays at the end, as obsolete.
    """
    new = _empty(old, id_)
    known = {key_of(each): each for each in (*(old.obsolete.values() if old else ()), *entries(old))}
    by_id = {each.context: each for each in entries(old) if each.context not in _SHARED}
    for each in said:
        _add(new, each, known.pop(each.key, None) or by_id.get(each.context))
    kept = {each.context for each in entries(new)} - _SHARED
    for gone in known.values():
        if gone.context not in kept and any(forms(gone)):
            new.obsolete[_first(gone), gone.context] = gone
    return new


def take(catalogue: Catalog, other: Catalog) -> int:
    """Take the translations that another catalogue has of the same texts; return how many."""
    taken, theirs = 0, {key_of(each): each for each in entries(other)}
    for each in entries(catalogue):
        there = theirs.get(key_of(each))
        if there is None or there.fuzzy or not all(forms(there)) or len(forms(there)) != len(forms(each)):
            continue
        if each.fuzzy or forms(there) != forms(each):
            each.string, taken = there.string, taken + 1
            each.flags.discard("fuzzy")
            each.previous_id = []
            catalogue.revision_date = datetime.now(UTC)
    return taken


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


def _add(new: Catalog, said: Said, before: Message | None) -> None:
    """Add what is said with its translation, which may be of another English."""
    english, was = said.english, forms(before) if before is not None else ()
    translated = any(was)
    changed = translated and before is not None and before.id != english
    new.add(
        english,
        context=said.context,
        auto_comments=[said.where] if said.where else (),
        user_comments=before.user_comments if before is not None else (),
        flags={"fuzzy"} if translated and before is not None and (before.fuzzy or changed) else (),
        previous_id=before.id if changed and before is not None else (),
    )
    added = new.get(english, said.context)
    added.string = fitting(was, english, new)
    if said.where != "usage":
        added.flags.discard("python-format")  # a percent sign, not a place


def fitting(was: tuple[str, ...], english: Words, catalogue: Catalog) -> str | tuple[str, ...]:
    """The forms of a translation as its English needs them, also where that got a plural, or lost it."""
    last, count = was[-1] if was else "", catalogue.num_plurals
    if isinstance(english, str):
        return last
    return was if len(was) == count else (last,) * count


def entries(catalogue: Catalog | None) -> list[Message]:
    """A catalogue's texts, without its head."""
    return [each for each in catalogue if each.id] if catalogue is not None else []


def forms(entry: Message) -> tuple[str, ...]:
    """A text's translation, or its plural forms."""
    return (entry.string or "",) if isinstance(entry.string, str | None) else tuple(entry.string)


def _first(entry: Message) -> str:
    return str(entry.id if isinstance(entry.id, str) else entry.id[0])


def key_of(entry: Message) -> tuple[str, str]:
    return entry.context or "", _first(entry)


def translations(catalogues: Mapping[str, Catalog], context: str, english: str) -> dict[str, str]:
    """The translations of one text by language, without those that are not finished."""
    found = {id_: catalogue.get(english, context) for id_, catalogue in catalogues.items()}
    return {id_: str(each.string) for id_, each in found.items() if each and each.string and not each.fuzzy}
