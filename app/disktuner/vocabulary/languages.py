# SPDX-License-Identifier: GPL-3.0-or-later
"""The languages: which there are, which one a person wants, and how it is read from its catalogue.

A catalogue is a file of gettext: the sentence of an id has that id as its context, a declared fact's name ``fact``.
``./dev languages`` keeps the sources (``resources/languages/*.po``) up to date, ``./dev setup`` compiles them.
"""

from __future__ import annotations

import gettext
import logging
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from disktuner.vocabulary import units
from disktuner.vocabulary.english import TEXTS
from disktuner.vocabulary.messages import ENGLISH, Language, Template
from disktuner.vocabulary.units import Numbers

log = logging.getLogger(__name__)

LANGUAGES: Mapping[str, str] = {
    "en": "English",
    "cs": "Čeština",
    "de": "Deutsch",
    "es": "Español",
    "pl": "Polski",
    "ru": "Русский",
    "zh_CN": "简体中文",
}
"""Every language by its locale, with its native name."""

FACT, NUMBER = "fact", "number"
"""The contexts of entries other than sentences with ids: names of declared facts, and forms of numbers."""

_NOT_SIMPLIFIED = ("ZH_TW", "ZH_HK", "ZH_MO", "ZH_HANT")
_UNTRANSLATED = ("C", "POSIX")
_COUNTS = range(200)
"""Counts that cover all plural forms of all our languages."""


def wanted(environment: Mapping[str, str]) -> str:
    """Return the language that somebody's environment asks for, as gettext understands it; else English.

    The locale is ``LC_ALL``, ``LC_MESSAGES`` or ``LANG``, the first that is set. ``LANGUAGE`` lists languages in the
    order in which they are preferred; it does not count where the locale is C, which asks for no language.
    """
    names = ("LC_ALL", "LC_MESSAGES", "LANG")
    locale = next((environment[name] for name in names if environment.get(name)), "")
    if locale in _UNTRANSLATED:
        return ENGLISH.id
    asked = [*environment.get("LANGUAGE", "").split(":"), locale]
    return next((id_ for tag in asked for id_ in _matching(tag)), ENGLISH.id)


def _matching(locale: str) -> Iterator[str]:
    """Yield our languages for a locale (``de_AT.UTF-8``)."""
    name = locale.partition(".")[0].partition("@")[0].replace("-", "_")
    if name in _UNTRANSLATED or name.upper().startswith(_NOT_SIMPLIFIED):
        return
    spoken = name.partition("_")[0].lower()
    yield from (id_ for id_ in LANGUAGES if spoken and id_.partition("_")[0] == spoken)


def language_of(id_: str) -> Language:
    """Return a language by its id; English, with a line in the log, if its catalogue cannot be read."""
    if id_ == ENGLISH.id:
        return ENGLISH
    file = catalogues_folder() / f"{id_}.mo"
    try:
        with file.open("rb") as opened:
            return _language(id_, gettext.GNUTranslations(opened))
    except (OSError, ValueError) as error:
        log.warning("no catalogue of %s in %s (%s): ./dev setup compiles it", id_, file, error)
        return ENGLISH


def catalogues_folder() -> Path:
    """Return the folder of the catalogues: in the checkout or below the installation, like the icons."""
    return Path(__file__).resolve().parents[3] / "resources" / "languages"


def _language(id_: str, catalogue: gettext.GNUTranslations) -> Language:
    rule = catalogue.info()["plural-forms"].partition("plural=")[2].rstrip("; ")
    plural = gettext.c2py(rule)
    one_of_each = {plural(count): count for count in _COUNTS}
    counts = [one_of_each[form] for form in sorted(one_of_each)]
    return Language(
        id_, _Texts(catalogue, counts), partial(catalogue.pgettext, FACT), _numbers(catalogue, counts, plural)
    )


class _Texts(Mapping[str, Template]):
    """The sentences in a language. Each is looked up when it is said: packages that are loaded late add theirs."""

    def __init__(self, catalogue: gettext.GNUTranslations, counts: list[int]) -> None:
        self._catalogue, self._counts = catalogue, counts

    def __getitem__(self, id_: str) -> Template:
        english = TEXTS[id_]
        if isinstance(english, str):
            return self._catalogue.pgettext(id_, english)
        return tuple(self._catalogue.npgettext(id_, *english, count) for count in self._counts)

    def __iter__(self) -> Iterator[str]:
        return iter(TEXTS)

    def __len__(self) -> int:
        return len(TEXTS)


def _numbers(catalogue: gettext.GNUTranslations, counts: list[int], plural: Callable[[int], int]) -> Numbers:
    """Return how the language writes numbers; each text field of ``Numbers`` is an entry of the catalogue."""
    values: dict[str, Any] = {}
    for name, english in units.words():
        if isinstance(english, str):
            values[name] = catalogue.pgettext(NUMBER, english)
        elif name in units.COUNTED:
            singular, plural_form = english
            values[name] = tuple(catalogue.npgettext(NUMBER, singular, plural_form, count) for count in counts)
        else:
            values[name] = tuple(catalogue.pgettext(NUMBER, form) for form in english)
    return Numbers(**values, plural=plural)
