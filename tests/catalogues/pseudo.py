# SPDX-License-Identifier: GPL-3.0-or-later
"""A made-up language: English with accents, 40 % longer, in brackets that show what was cut or not translated."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from functools import cache
from itertools import cycle
from typing import Any

from disktuner.vocabulary import units
from disktuner.vocabulary.english import TEXTS
from disktuner.vocabulary.messages import Language
from tests.catalogues.content import facts

LONGER = 0.4
"""How much longer than English a translation may be; longer ones exist, but are rare (German, Russian: 30 %)."""

OPEN, CLOSE = "⟦", "⟧"
_SAID = re.compile(rf"{OPEN}[^{OPEN}{CLOSE}]*{CLOSE}")
_ENGLISH = re.compile(r"(?<![\w/=.:-])[a-z]{3,} [a-z]{3,}(?![\w/=-])")
_PLACE = re.compile(r"(\{[^}]*\}|%\(\w+\)[sr]|%[sr])")
_ACCENTS = str.maketrans("aceghijklnoprstuwyzACEGHIJKLNOPRSTUWYZ", "áčéğĥíĵķĺñóṕŕšťúŵýžÁČÉĞĤÍĴĶĹÑÓṔŔŠŤÚŴÝŽ")
_WORDS = ("óñé", "ťŵó", "ťĥŕéé", "ƒóúŕ", "ƒíṽé")


def pseudo(english: str) -> str:
    """Return a text in the made-up language; placeholders stay."""
    parts = _PLACE.split(english)
    letters = sum(len(part) for part in parts[::2])
    sentence = "".join(part if number % 2 else part.translate(_ACCENTS) for number, part in enumerate(parts))
    if not letters:
        return sentence
    more, words = "", cycle(_WORDS)
    while len(more) < letters * LONGER - 2:
        more += f" {next(words)}"
    return f"{OPEN}{sentence}{more}{CLOSE}"


def unsaid(sentence: str, foreign: Collection[str] = ()) -> str:
    """Return what of a text is English; empty if none is. A foreign name within the brackets stays in them."""
    while (less := _SAID.sub("", sentence)) != sentence:
        sentence = less
    for text in foreign:
        sentence = sentence.replace(text, "")
    return sentence if _ENGLISH.search(sentence) else ""


@cache
def language() -> Language:
    """Return the made-up language."""
    texts = {
        id_: text if id_ == "literal" else pseudo(text) if isinstance(text, str) else tuple(map(pseudo, text))
        for id_, text in TEXTS.items()
    }
    known = facts()
    return Language("en", texts, lambda name: pseudo(name) if name in known else name, _numbers())


def _numbers() -> units.Numbers:
    words: dict[str, Any] = dict(units.words())
    counted = {name: tuple(map(pseudo, words[name])) for name in units.COUNTED}
    return replace(units.ENGLISH, a_few_seconds=pseudo(words["a_few_seconds"]), **counted)
