# SPDX-License-Identifier: GPL-3.0-or-later
"""The guide names what stands in the window, shows all pictures made for it, and is the same in each language."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from tests.docs_tables import DOCS
from tests.gui.differences import words_of

from disktuner.cli.main import COMMANDS, parser_for
from disktuner.vocabulary.languages import language_of

GUIDE = DOCS / "guide"
LANGUAGES = sorted(path.name for path in GUIDE.iterdir())
PAGES = sorted(path.name for path in (GUIDE / "en").glob("*.md"))
EACH = [pytest.param(language, page, id=f"{language}-{page}") for language in LANGUAGES for page in PAGES]
BOLD, PICTURE = re.compile(r"\*\*([^*]+)\*\*"), re.compile(r"!\[[^\]]+\]\(([^)]+)\)")
LINK = re.compile(r"\]\(([^)#]+)[^)]*\)")
LEAST_OWN, MOST_OWN = 4, 80
"""How long texts are that the guide names, without their values."""
ABOUT_BOLD = "README.md"
"""The page that says what bold words are: one of them is no text of the window."""


def paragraphs(language: str, page: str) -> list[str]:
    """The parts of a page: headings, paragraphs, items, pictures, commands."""
    text = (GUIDE / language / page).read_text(encoding="utf-8")
    return [part for block in re.split(r"\n\n+", text.strip()) for part in re.split(r"\n(?=- |\d\. )", block)]


def shape(part: str) -> str:
    """What kind of part it is; a picture's file, a command as it is typed."""
    if part.startswith("#"):
        return part.split(" ", maxsplit=1)[0]
    if part.startswith(("    ", "!")):
        return part if part.startswith(" ") else PICTURE.findall(part)[0]
    return "item" if re.match(r"- |\d\. ", part) else "text"


def spoken(text: str) -> str:
    """As it is compared: a space that does not break is a space, and a step's number or a fold's mark is none of it."""
    return re.sub(r"^\d  | [▸▾]$", "", " ".join(text.replace("\u00a0", " ").split(" ")))


def seen(pictures: list[Path], said: str) -> set[tuple[str, int]]:
    """Where a text stands: pictures, and the number of its line among their words."""
    return {(path.name, at) for path in pictures for at, line in enumerate(words(path)) if line == said}


@cache
def words(picture: Path) -> tuple[str, ...]:
    """What can be read on a picture, line by line."""
    return tuple(map(spoken, words_of(picture.read_bytes()).splitlines()))


@cache
def sentences(language: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """All of the catalogue by id; one that is hardly more than a place could be anything."""
    found = []
    for id_, template in language_of(language).texts.items():
        for each in (template,) if isinstance(template, str) else template:
            own = [re.escape(part) for part in re.split(r"\{.*?\}", spoken(each))]
            if LEAST_OWN <= len("".join(own)) < MOST_OWN:
                found.append((id_, re.compile(".+".join(own))))
    return tuple(found)


def places(language: str, page: str, part: str) -> Iterator[frozenset[object]]:
    """For each text of the window that a part names: where it is seen, on this page or else another, and what it is."""
    shown = [GUIDE / language / name for each in paragraphs(language, page) for name in PICTURE.findall(each)]
    for said in map(spoken, (each.replace("\n", " ") for each in BOLD.findall(part))):
        here = seen(shown, said) or seen(sorted((GUIDE / language).glob("*.png")), said)
        yield frozenset(here | {id_ for id_, sentence in sentences(language) if sentence.fullmatch(said)})


@pytest.mark.parametrize(("language", "page"), EACH)
def test_what_is_bold_stands_in_the_window(language: str, page: str) -> None:
    if page == ABOUT_BOLD:
        return
    for part in paragraphs(language, page):
        for said, found in zip(BOLD.findall(part), places(language, page, part), strict=True):
            assert found, f"no picture and no sentence says {said!r}"


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("language", [each for each in LANGUAGES if each != "en"])
def test_all_languages_have_the_same_parts_pictures_and_texts_of_the_window(language: str, page: str) -> None:
    english, other = paragraphs("en", page), paragraphs(language, page)
    assert [shape(part) for part in other] == [shape(part) for part in english]
    if page == ABOUT_BOLD:
        return
    for ours, theirs in zip(other, english, strict=True):
        named, expected = list(places(language, page, ours)), list(places("en", page, theirs))
        assert len(named) == len(expected), ours
        for place in expected:
            assert any(place & each for each in named), f"{ours!r} names something else than {theirs!r}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_and_picture_is_shown_and_every_link_leads_somewhere(language: str) -> None:
    folder = GUIDE / language
    assert sorted(path.name for path in folder.glob("*.md")) == PAGES
    linked = {name for page in PAGES for name in LINK.findall((folder / page).read_text(encoding="utf-8"))}
    assert {path.name for path in folder.iterdir()} <= linked | {"README.md"}
    assert [name for name in linked if "://" not in name and not (folder / name).exists()] == []


@pytest.mark.parametrize("page", [*(GUIDE / "en").glob("*.md"), *DOCS.glob("*.md")], ids=lambda path: path.name)
def test_commands_are_understood(page: Path) -> None:
    parser = parser_for(list(COMMANDS))
    for command in re.findall(r"^    +disktuner (.*)", page.read_text(encoding="utf-8"), re.MULTILINE):
        parser.parse_args(shlex.split(command))
