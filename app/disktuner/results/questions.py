# SPDX-License-Identifier: GPL-3.0-or-later
"""The question of a plan as JSON and back; a file may come from anybody, so its figures are checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from disktuner.results.reading import Fields, bad, list_at, name_at
from disktuner.vocabulary.questions import Part, Price, Question


def question_json(question: Question) -> dict[str, Any]:
    """Return a question as a JSON object."""
    document: dict[str, Any] = {
        "parts": [{"metric": part.metric, "weight": part.weight} for part in question.parts],
        "prices": [
            {"metric": price.metric, "may_lose": price.may_lose} | ({"beside": price.beside} if price.beside else {})
            for price in question.prices
        ],
        "worth": question.worth,
    }
    return document | ({"stands_in": True} if question.stands_in else {})


def question_at(found: Mapping[str, Any], place: str) -> Question:
    """Return the question that ``question_json`` wrote. Raises ``BadResult``."""
    fields = Fields.of(found, place)
    try:
        return Question(
            tuple(_part(Fields.of(each, f"{place}.parts")) for each in list_at(fields.take("parts"), f"{place}.parts")),
            tuple(
                _price(Fields.of(each, f"{place}.prices"))
                for each in list_at(fields.take("prices", []), f"{place}.prices")
            ),
            _number(fields.take("worth")),
            fields.flag("stands_in", default=False),
        )
    except ValueError:
        raise bad("must-be-question", place) from None


def _part(fields: Fields) -> Part:
    return Part(fields.name("metric"), _number(fields.take("weight", 1.0)))


def _price(fields: Fields) -> Price:
    beside = fields.take("beside")
    known = None if beside is None else name_at(beside, fields.where("beside"))
    return Price(fields.name("metric"), _number(fields.take("may_lose")), known)


def _number(value: object) -> float:
    """Return a number; that it can be one of a question is checked there."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(value)
    return float(value)
