# SPDX-License-Identifier: GPL-3.0-or-later
"""Messages become sentences: placeholders, plurals, other languages, and whatever strangers put into them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis.strategies import dictionaries, floats, integers, just, lists, none, one_of, sampled_from
from hypothesis.strategies import text as texts

from disktuner.vocabulary import messages
from disktuner.vocabulary.messages import (
    ENGLISH,
    Language,
    Message,
    in_window,
    literal,
    message,
    named,
    say,
    say_all,
    speaking,
    text,
)
from disktuner.vocabulary.units import Numbers

TEXTS = {
    "plain": "It is done.",
    "room": "{folder} has {free:bytes} left, {needed:bytes} are needed.",
    "rounds": ("{count} round was measured.", "{count} rounds were measured."),
    "several": ("One disk ({names:list}).", "{count} disks ({names:list})."),
    "no-number-shown": ("A run failed.", "Several runs failed."),
    "left-out": "{workload} is left out: {reason!s}. Nothing else is.",
    "quoting": "It said: {reason}",
    "floating": "{value}, {share:percent}, {yes}, {names}, {nothing}",
    "braces": "{{literally}} {name}",
    "kind": "A {name:named}.",
}


@pytest.fixture
def made_up() -> Iterator[Language]:
    """A language with sentences made up for these tests."""
    spoken = Language("made-up", TEXTS)
    with speaking(spoken):
        yield spoken


def test_places_take_their_values(made_up: Language) -> None:
    assert text("plain") == "It is done."
    assert text("room", folder="/srv", free=1.5e9, needed=2 * 10**9) == "/srv has 1.5 GB left, 2 GB are needed."
    assert text("floating", value=0.12345, share=0.045, yes=True, names=("a", "b"), nothing=None) == (
        "0.123, 4.5 %, True, a, b, None"
    )
    assert text("braces", name="x") == "{literally} x"


def test_the_count_chooses_the_plural(made_up: Language) -> None:
    assert text("rounds", count=1) == "1 round was measured."
    assert text("rounds", count=0) == "0 rounds were measured."
    assert text("rounds", count=12345) == "12,345 rounds were measured."
    assert text("several", count=2, names=("sda", "sdb")) == "2 disks (sda and sdb)."
    assert text("no-number-shown", count=1) == "A run failed."
    assert text("no-number-shown") == "Several runs failed."


def test_a_message_within_a_message_is_said_too(made_up: Language) -> None:
    reason = message("rounds", count=1)
    assert text("quoting", reason=reason) == "It said: 1 round was measured."
    assert (
        text("left-out", workload="copy", reason=reason) == "copy is left out: 1 round was measured. Nothing else is."
    )
    assert text("left-out", workload="copy", reason="it broke...") == "copy is left out: it broke. Nothing else is."
    assert say_all([reason, message("plain")]) == "1 round was measured. It is done."


def test_what_this_version_does_not_know_shows_its_id_and_values(made_up: Language) -> None:
    assert text("of-a-newer-version", disk="sda", size=5) == "of-a-newer-version (disk sda, size 5)"
    assert text("of-a-newer-version") == "of-a-newer-version"
    assert say(literal("as it \x1b[31mwas")) == "as it \\u001b[31mwas"


def test_a_foreign_message_that_does_not_fit_is_shown_nevertheless(made_up: Language) -> None:
    odd: tuple[dict[str, object], ...] = ({}, {"folder": "/srv"}, {"folder": "/srv", "free": "much", "needed": None})
    for values in odd:
        assert text("room", **values).startswith("room (")  # type: ignore[arg-type]


@pytest.mark.parametrize("value", ["{0}", "{needed}", "{folder.__class__}", "}{", "{folder!r}", "{:>1000000}", "%s"])
def test_values_with_braces_are_only_text(made_up: Language, value: str) -> None:
    assert text("room", folder=value, free=1, needed=2) == f"{value} has 1 B left, 2 B are needed."
    assert say(literal(value)) == value


VALUES = one_of(texts(), integers(), floats(), none(), lists(texts(), max_size=3).map(tuple), just(10**400))


@given(texts(), dictionaries(sampled_from(["count", "folder", "free", "needed", "names", "reason", "x"]), VALUES))
def test_whatever_a_file_holds_can_be_said(id_: str, values: dict[str, str | int | float | None]) -> None:
    for sentence_id in (id_, *TEXTS):
        with speaking(Language("made-up", TEXTS)):
            sentence = say(Message(sentence_id, tuple(values.items())))
        assert all(sign.isprintable() or sign in "\n\t" or sign.isspace() for sign in sentence)


def test_another_language_has_its_own_sentences_signs_names_and_plurals() -> None:
    reversed_ = Language(
        "xx",
        {"rounds": ("Runden: {count}.", "Nur eine Runde."), "room": "{needed:bytes} nötig, {free:bytes} da: {folder}"},
        lambda english: {"Hard disk": "Festplatte"}.get(english, english),
        Numbers(grouped="12.345", grouped_first="1.234", fraction="1,5", plural=lambda count: int(count == 1)),
    )
    with speaking(Language("made-up", TEXTS)):
        with speaking(reversed_):
            assert text("rounds", count=1) == "Nur eine Runde."
            assert text("rounds", count=1234) == "Runden: 1.234."
            assert text("room", folder="/srv", free=1.5e9, needed=2e9) == "2 GB nötig, 1,5 GB da: /srv"
            assert named("Hard disk") == "Festplatte"
            assert named("USB stick") == "USB stick", "what has no name of its own yet is said in English"
        assert text("rounds", count=1) == "1 round was measured."
    assert messages.language() is ENGLISH


def test_the_window_says_its_own_ways() -> None:
    spoken = Language("xx", {"plain": "Type it.", "in-window-plain": "Press it.", "kind": "Either way."})
    with speaking(in_window(spoken)):
        assert (text("plain"), text("kind")) == ("Press it.", "Either way.")
        assert text("program-missing", program="fio", package="fio").startswith("fio is not installed")
    with speaking(spoken):
        assert text("plain") == "Type it."


def test_a_sentence_that_a_translation_lacks_is_said_in_english() -> None:
    with speaking(Language("xx", {})):
        assert text("program-missing", program="fio", package="fio").startswith("fio is not installed")
