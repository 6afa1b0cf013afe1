# SPDX-License-Identifier: GPL-3.0-or-later
"""Which language is chosen, and that numbers, units and times follow its conventions."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest
from babel.numbers import format_decimal, format_percent
from babel.units import format_unit

import disktuner_watch  # noqa: F401 - adds its sentences to the catalogue
from disktuner.vocabulary import languages, units
from disktuner.vocabulary.languages import LANGUAGES, language_of, wanted
from disktuner.vocabulary.messages import ENGLISH

TRANSLATED = tuple(id_ for id_ in LANGUAGES if id_ != "en")


@pytest.mark.parametrize(
    ("environment", "id_"),
    [
        ({}, "en"),
        ({"LANG": "de_AT.UTF-8"}, "de"),
        ({"LANG": "fr_FR.UTF-8"}, "en"),
        ({"LANG": "pl_PL.UTF-8", "LC_MESSAGES": "cs_CZ.UTF-8", "LC_ALL": "de_DE.UTF-8"}, "de"),
        ({"LANG": "pl_PL.UTF-8", "LANGUAGE": "fr:cs:de"}, "cs"),
        ({"LANG": "C.UTF-8", "LANGUAGE": "ru"}, "ru"),
        ({"LC_ALL": "C", "LANGUAGE": "ru", "LANG": "ru_RU.UTF-8"}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh_CN"),
        ({"LANG": "zh_TW.UTF-8"}, "en"),
        ({"LANG": "nonsense;rm -rf"}, "en"),
    ],
)
def test_the_language_is_the_one_that_the_desktop_asks_for(environment: dict[str, str], id_: str) -> None:
    assert wanted(environment) == id_


def test_a_catalogue_that_is_not_there_or_broken_leaves_english(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(languages, "catalogues_folder", lambda: tmp_path)
    with caplog.at_level(logging.WARNING):
        assert language_of("pl") is ENGLISH
        (tmp_path / "pl.mo").write_bytes(b"no catalogue at all")
        assert language_of("pl") is ENGLISH
    assert len(caplog.records) == 2
    caplog.clear()


def test_a_package_that_is_loaded_later_speaks_the_language_that_was_chosen_before() -> None:
    lines = (
        "from disktuner.vocabulary.languages import language_of",
        "from disktuner.vocabulary.messages import speaking, text",
        "with speaking(language_of('pl')):",
        "    import disktuner_watch",
        "    print(text('recorder-is-on'))",
    )
    command = [sys.executable, "-c", "\n".join(lines)]
    environment = os.environ | {"PYTHONPATH": str(Path(languages.__file__).parents[2]), "PYTHONUTF8": "1"}
    done = subprocess.run(command, env=environment, check=True, capture_output=True, encoding="utf-8")
    assert done.stdout == f"{language_of('pl').texts['recorder-is-on']}\n" != f"{ENGLISH.texts['recorder-is-on']}\n"


@pytest.mark.parametrize("id_", TRANSLATED)
def test_numbers_have_the_signs_of_the_language(id_: str) -> None:
    """According to Unicode's CLDR; four digits are not grouped in Spanish, Polish and Russian."""
    numbers = language_of(id_).numbers
    for value in (0, 12, 12345, 1_234_567):
        assert units.count(value, numbers) == format_decimal(value, locale=id_)
    assert units.count(1234, numbers) == ("1234" if id_ in {"es", "pl", "ru"} else format_decimal(1234, locale=id_))
    assert units.digits(1.25, numbers) == format_decimal(1.25, locale=id_)
    assert units.percent(0.28, numbers) == format_percent(0.28, locale=id_)
    assert units.percent(0.045, numbers) == format_percent(0.045, "#,##0.#%", locale=id_).replace(
        "%", units.percent(1, numbers)[3:]
    )


@pytest.mark.parametrize("id_", [id_ for id_ in TRANSLATED if id_ != "zh_CN"])
def test_durations_are_inflected_as_the_language_does(id_: str) -> None:
    numbers = language_of(id_).numbers
    for minutes in (2, 5, 12, 22, 89):
        assert _bare(units.duration(minutes * 60, numbers)) == _cldr(minutes, "minute", id_)
    for hours in (2, 2.5, 5, 12, 22):
        assert _bare(units.duration(hours * 3600, numbers)) == _cldr(hours, "hour", id_)
    for seconds in (0, 1, 2, 5, 12, 21, 22):
        assert _bare(units.whole_seconds(seconds, numbers)) == _cldr(seconds, "second", id_)


def _cldr(value: float, unit: str, id_: str) -> str:
    return _bare(format_unit(value, f"duration-{unit}", "long", locale=id_))


def _bare(text: str) -> str:
    """Return a text without spaces, as the translators choose which of them may break."""
    return "".join(text.split())


@pytest.mark.parametrize(
    ("id_", "shown"),
    [
        ("en", "2026-03-07 08:05"),
        ("cs", "7. 3. 2026 8:05"),
        ("de", "07.03.2026, 08:05"),
        ("es", "7/3/2026, 8:05"),
        ("pl", "7.03.2026, 08:05"),
        ("ru", "07.03.2026, 08:05"),
        ("zh_CN", "2026/3/7 08:05"),
    ],
)
def test_moments_are_written_as_the_language_does(id_: str, shown: str) -> None:
    assert units.moment(datetime(2026, 3, 7, 8, 5), language_of(id_).numbers) == shown
