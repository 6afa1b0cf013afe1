# SPDX-License-Identifier: GPL-3.0-or-later
"""A result that is still being measured, as text: its beginning, then a line for each step, so that saving is cheap.

The first line is ``{"journal": "disktuner.journal/1", "result": the result before its first run, or before it is
measured on}``. A line of a run says once what its samples share. The last line may have been cut off by a crash; then
it does not count.
"""

from __future__ import annotations

import json
import math
from typing import Any

from disktuner.results.columns import MOST_RUNS, MOST_SAMPLES, write_samples, write_series
from disktuner.results.model import Addition, BadResult
from disktuner.results.reading import LARGEST_TEXT_BYTES, list_at, message_json, object_at, parse

_FORMAT = "disktuner.journal/1"
_START = '{"journal":'
_SHARED = ("scheduler", "round", "order", "valid", "reason", "started", "duration_s")
"""What all samples of a run have in common."""


def is_journal(text: str) -> bool:
    """Say whether a text is a journal rather than a whole result."""
    return text.startswith(_START)


def head_line(result: str) -> str:
    """Return a journal's first line, given the result as it begins as JSON text."""
    return f'{_START}"{_FORMAT}","result":{result}}}\n'


def line_of(addition: Addition) -> str:
    """Return the line of one step."""
    line: dict[str, Any] = {}
    if addition.samples:
        (first,) = write_samples(addition.samples[:1], {})
        line["run"] = {key: first[key] for key in _SHARED}
        line["values"] = {each.metric: each.value if math.isfinite(each.value) else None for each in addition.samples}
    if addition.series:
        line["series"] = write_series(addition.series)
    if addition.histograms:
        line["histograms"] = addition.histograms
    if addition.warning:
        line["warning"] = message_json(addition.warning)
    if addition.sizes:
        line["sizes"] = addition.sizes
    return json.dumps(line, allow_nan=False, separators=(",", ":")) + "\n"


def replayed(text: str) -> dict[str, Any]:
    """Return the result's JSON document as far as the journal goes. Raises ``BadResult``; checks no values."""
    head, *lines = text.split("\n")
    beginning = object_at(parse(head), "journal")
    if beginning.get("journal") != _FORMAT:
        raise BadResult("other-format", known=_FORMAT)
    replay = _Replay(object_at(beginning.get("result"), "result"))
    steps = [line for line in lines if line]
    for number, line in enumerate(steps, 1):
        try:
            step = parse(line)
        except BadResult:
            if number < len(steps):
                raise
            break
        replay.add(object_at(step, f"journal[{number}]"))
    return replay.document()


class _Replay:
    """A document that grows by steps."""

    def __init__(self, beginning: dict[str, Any]) -> None:
        self._document = beginning
        self._samples = list_at(beginning.get("samples", []), "samples", MOST_SAMPLES)
        self._series = list_at(beginning.setdefault("series", []), "series", MOST_RUNS)
        self._warnings = list_at(beginning.setdefault("warnings", []), "warnings", MOST_RUNS)
        self._histograms: dict[str, Any] = {}
        self._shared_bytes = 0

    def add(self, step: dict[str, Any]) -> None:
        """Add what one line says."""
        if "run" in step:
            self._add_run(object_at(step["run"], "run"), object_at(step.get("values"), "values"))
            if "histograms" in step:
                self._histograms[str(step["run"].get("order"))] = step["histograms"]
        if "series" in step:
            self._series.append(step["series"])
        if "warning" in step:
            self._warnings.append(step["warning"])
        if "sizes" in step:
            self._document["sizes"] = step["sizes"]

    def _add_run(self, run: dict[str, Any], values: dict[str, Any]) -> None:
        shared = {key: run[key] for key in _SHARED if key in run}
        self._shared_bytes += len(values) * len(json.dumps(shared))
        if self._shared_bytes > LARGEST_TEXT_BYTES or len(self._samples) + len(values) > MOST_SAMPLES:
            raise BadResult("file-too-large")
        self._samples += [shared | {"metric": metric, "value": value} for metric, value in values.items()]

    def document(self) -> dict[str, Any]:
        """Return the whole."""
        if self._histograms:
            before = object_at(self._document.get("histograms", {}), "histograms")
            self._document["histograms"] = before | self._histograms
        return self._document | {"samples": self._samples}
