# SPDX-License-Identifier: GPL-3.0-or-later
"""The guide names what the window shows, includes all pictures made for it, and is the same in each language."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from tests.docs_tables import DOCS
from tests.gui.differences import words_of

import disktuner_watch  # noqa: F401 - adds its sentences to the catalogue
from disktuner.cli.main import COMMANDS, parser_for
from disktuner.vocabulary.english import TEXTS
from disktuner.vocabulary.goals import GOALS
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
    """Return the parts of a page: headings, paragraphs, items, pictures, commands."""
    text = (GUIDE / language / page).read_text(encoding="utf-8")
    return [part for block in re.split(r"\n\n+", text.strip()) for part in re.split(r"\n(?=- |\d\. )", block)]


def shape(part: str) -> str:
    """Return the kind of a part; for a picture its file, for a command its text."""
    if part.startswith("#"):
        return part.split(" ", maxsplit=1)[0]
    if part.startswith(("    ", "!")):
        return part if part.startswith(" ") else PICTURE.findall(part)[0]
    return "item" if re.match(r"- |\d\. ", part) else "text"


def spoken(text: str) -> str:
    """Normalise a text: no-break spaces become spaces, and step numbers and fold marks go."""
    return re.sub(r"^\d  | [▸▾]$", "", " ".join(text.replace("\u00a0", " ").split(" ")))


def seen(pictures: list[Path], text: str) -> set[tuple[str, int]]:
    """Return where a text is visible: pictures, and its line number among their words."""
    return {(path.name, at) for path in pictures for at, line in enumerate(words(path)) if line == text}


@cache
def words(picture: Path) -> tuple[str, ...]:
    """Return the words on a picture, line by line."""
    return tuple(map(spoken, words_of(picture.read_bytes()).splitlines()))


@cache
def sentences(language: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return all sentences of the catalogue by id, except those that are little more than a placeholder."""
    patterns = []
    for id_, template in language_of(language).texts.items():
        for form in (template,) if isinstance(template, str) else template:
            literals = [re.escape(part) for part in re.split(r"\{.*?\}", spoken(form))]
            if LEAST_OWN <= len("".join(literals)) < MOST_OWN:
                patterns.append((id_, re.compile(".+".join(literals))))
    return tuple(patterns)


def places(language: str, page: str, part: str) -> Iterator[frozenset[object]]:
    """Yield for each text of the window that a part names: where it is visible, ideally on this page, and its ids."""
    pictures = [
        GUIDE / language / name for paragraph in paragraphs(language, page) for name in PICTURE.findall(paragraph)
    ]
    for text in map(spoken, (bold.replace("\n", " ") for bold in BOLD.findall(part))):
        spots = seen(pictures, text) or seen(sorted((GUIDE / language).glob("*.png")), text)
        yield frozenset(spots | {id_ for id_, sentence in sentences(language) if sentence.fullmatch(text)})


@pytest.mark.parametrize(("language", "page"), EACH)
def test_what_is_bold_stands_in_the_window(language: str, page: str) -> None:
    if page == ABOUT_BOLD:
        return
    for part in paragraphs(language, page):
        for text, place in zip(BOLD.findall(part), places(language, page, part), strict=True):
            assert place, f"no picture and no sentence says {text!r}"


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
def test_all_languages_have_the_same_parts_pictures_and_texts_of_the_window(language: str, page: str) -> None:
    english, other = paragraphs("en", page), paragraphs(language, page)
    assert [shape(part) for part in other] == [shape(part) for part in english]
    if page == ABOUT_BOLD:
        return
    for ours, original in zip(other, english, strict=True):
        named, expected = list(places(language, page, ours)), list(places("en", page, original))
        assert len(named) == len(expected), ours
        for place in expected:
            assert any(place & candidate for candidate in named), f"{ours!r} names something else than {original!r}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_and_picture_is_shown_and_every_link_leads_somewhere(language: str) -> None:
    folder = GUIDE / language
    assert sorted(path.name for path in folder.glob("*.md")) == PAGES
    linked = {name for page in PAGES for name in LINK.findall((folder / page).read_text(encoding="utf-8"))}
    assert {path.name for path in folder.iterdir()} <= linked | {"README.md"}
    assert [name for name in linked if "://" not in name and not (folder / name).exists()] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_goal_is_named_for_the_terminal(language: str) -> None:
    (named,) = (part for part in paragraphs(language, "5-terminal.md") if part.startswith("`--goal`"))
    assert re.findall(r"`(\w+)`", named) == list(GOALS)


@pytest.mark.parametrize("page", [*(GUIDE / "en").glob("*.md"), *DOCS.glob("*.md")], ids=lambda path: path.name)
def test_commands_are_understood(page: Path) -> None:
    parser = parser_for(list(COMMANDS))
    for command in re.findall(r"^    +disktuner (.*)", page.read_text(encoding="utf-8"), re.MULTILINE):
        parser.parse_args(shlex.split(command))


def test_commands_to_copy_from_sentences_are_understood() -> None:
    parser, sentences = parser_for(list(COMMANDS)), "\n".join(map(str, TEXTS.values()))
    for command in re.findall(r"\bdisktuner ([a-z][^.,;\n`')]*)", sentences):
        if ":word}" in command:
            parser.parse_args(shlex.split(re.sub(r"\{\w+:word\}", "word", command)))
