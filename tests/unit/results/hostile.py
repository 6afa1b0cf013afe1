# SPDX-License-Identifier: GPL-3.0-or-later
"""Hostile result files, made from valid ones."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.unit.verdict.making import LAUNCH, WRITE, WRITER, made

from disktuner.results.codec import encode
from disktuner.results.model import Sample, SeriesRecord, column
from disktuner.vocabulary.messages import literal, message
from disktuner.vocabulary.metrics import Better, Metric
from disktuner.vocabulary.settings import Setting

WRITE_UP_A = (Path(__file__).parents[2] / "data" / "results" / "write-up-a.json").read_text()


def as_measured() -> str:
    """A file with everything that a comparison leaves in it."""
    figures = {name: column([1.0, 2.0]) for name in ("read_bytes_per_s", "read_latency_s")}
    series = SeriesRecord(0, "launch-office", Setting("bfq"), 0, column([0.0, 0.1]), figures)
    result = made({(LAUNCH, "bfq"): 0.2, (WRITER, "bfq"): 0.5, (WRITE, "none"): 0.9}, done=5, planned=5)
    samples = (replace(result.samples[0], valid=False, reason=literal("stalled")), *result.samples[1:])
    threads = {f"sysbench-rndrd.t{n}_{figure}": n * 9e3 for n in (0, 1, 8) for figure in ("ios_per_s", "bytes_per_s")}
    facts = {"priorities.idle_gain": 3.0, "priorities.low_gain": 1.0, "priorities.slowdown": 4.0}
    more = {**threads, **facts}
    metrics = {name: Metric(name, name.rpartition("_")[2], Better.HIGHER, name) for name in more}
    curves = [Sample(name, Setting(s), 0, 900, value) for name, value in more.items() for s in ("bfq", "none")]
    return encode(
        replace(
            result,
            metrics={**result.metrics, **metrics},
            samples=(*samples, *curves),
            series=(series,),
            warnings=(
                message("run-invalid", reason=message("other-io", moved=96_000_000)),
                message("newer", n=1, of=("a", "b")),
            ),
            notes="x",
            disk={**result.disk, "size_bytes": 10**12, "tunables": {"queue/nr_requests": 64}, "vendor": "WD"},
            histograms={1: {"latency_s": ((0.001, 12),)}},
            sizes={"dd-write": {"scale": 3}},
        )
    )


SOUND = {"as measured": as_measured(), "write-up a": WRITE_UP_A}

TERMINAL = '"\\u001b[2J\\u001b]0;x\\u0007\\u009b1m\\u007f\\u202eabc\\u2066\\u2028\\udb40\\udc41\\u200f\\r\\n\\u0000"'
MARKUP = "\"<img src=file:///etc/passwd><a href='x'>=$x^2$ $\\\\frac{ |`[x](http://e.example) @root &lt;\""
HOSTILE = (
    *("null", "true", "false", "0", "-0.0", "-1", "1e-320", "1e308", "-1e308", "1e400", "NaN", "Infinity", "-Infinity"),
    *("9" * 25, "9" * 5000, "1" + "0" * 300, "1" + "0" * 400, "-" + "9" * 25, "0.1" + "0" * 400, "[]", "{}", '""'),
    *('"\\u0000"', '"\\ud800"', '"\\u202e"', f'"{"x" * 300}"', '"lower"', '"disktuner.result/99"', '"1"', "[1]"),
    *(
        '[["a"]]',
        '{"a": {"b": 1}}',
        "[" * 3000 + "]" * 3000,
        '{"a":' * 3000 + "1" + "}" * 3000,
        "'single'",
        "undefined",
    ),
    *("", TERMINAL, MARKUP, '"9999-99-99"', '"=HYPERLINK(1)"', str(2**63), str(2**64), "1e18", "-1e18", "5e-324"),
    *("[" * 20 + "]" * 20, f'"{"long " * 400}"', f'"{"x" * 1_000_000}"', '{"\\ud800": 1}', '{"\\u001b[2J": 1}'),
)
"""What to put in the place of any value; not all of it is JSON."""

PLACE = "\ue000"


def places(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to all values of a document."""
    yield path
    for key, inner in tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ():
        yield from places(inner, (*path, key))


WAYS = {name: sorted(places(json.loads(text)), key=str) for name, text in SOUND.items()}
RARE = {name: [way for way in ways if way[:1] != ("samples",)] for name, ways in WAYS.items()}
"""All but the many samples."""


def with_value(text: str, path: tuple[Any, ...], value: str) -> str:
    """The document with one value replaced by raw text."""
    if not path:
        return value
    tree = json.loads(text)
    inner = tree
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = PLACE
    return json.dumps(tree, ensure_ascii=False).replace(f'"{PLACE}"', value)


def without(text: str, path: tuple[Any, ...]) -> str:
    """The document without one value."""
    tree = json.loads(text)
    inner = tree
    for key in path[:-1]:
        inner = inner[key]
    if path:
        del inner[path[-1]]
    return json.dumps(tree, ensure_ascii=False)


def with_twice(text: str, chance: random.Random) -> str:
    """The document with a duplicate key, the second time with another value."""
    at = chance.choice([match.start() for match in re.finditer(r'"[^"]*":', text)])
    key = text[at : text.index(":", at)]
    return f"{text[:at]}{key}: {chance.choice(HOSTILE)}, {text[at:]}"


def hostile(text: str) -> dict[str, Any]:
    """A result in which every text that may be any text is this one."""
    document: dict[str, Any] = json.loads(SOUND["as measured"])
    document["machine"] = dict.fromkeys(("kernel", "os", "cpu", "cmdline"), text) | {"memory_bytes": 1}
    document["disk"] |= dict.fromkeys(("vendor", "model", "name", "serial", "kind"), text)
    document["filesystem"] = {"path": text, "fstype": text, "options": [text]}
    document |= {"id": "stranger", "created": text, "app_version": text, "notes": text}
    document["disks"] = [text, f"another {text}"]
    document["warnings"] = [
        {"id": "run-invalid", "values": {"reason": {"id": "other-io", "values": {"moved": text}}}},
        {"id": "literal", "values": {"text": text}},
    ]
    for metric in document["metrics"].values():
        metric |= {"label": {"id": text, "text": text}, "unit": text}
    for sample in document["samples"]:
        sample |= {"started": text, "reason": {"id": "literal", "values": {"text": text}}}
    return document


def damaged(data: bytes, chance: random.Random) -> bytes:
    """The file with some bytes lost, doubled, moved or changed."""
    for _ in range(chance.choice((1, 1, 2, 8))):
        first, last = sorted(chance.randrange(len(data) + 1) for _ in range(2))
        last = min(last, first + chance.choice((1, 5, 200, len(data))))
        part = chance.choice((b"", data[first:last] * 2, chance.randbytes(3), b"\0", b"\xff", data[: last - first]))
        data = data[:first] + part + data[last:]
        if not data:
            break
    return data


def mutated(chance: random.Random) -> bytes:
    """A valid file with one to three hostile values; sometimes values are lost, doubled or cut."""
    name = chance.choice(sorted(SOUND))
    text = SOUND[name]
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        path, lost = chance.choice(chance.choice((WAYS, RARE))[name]), chance.random() < 0.1
        # What was made hostile before may have left no JSON, or no such place.
        with suppress(ValueError, LookupError, TypeError, RecursionError):
            text = without(text, path) if lost else with_value(text, path, chance.choice(HOSTILE))
    if chance.random() < 0.05 and '":' in text:
        text = with_twice(text, chance)
    data = text.encode("utf-8", "surrogatepass")
    return damaged(data, chance) if chance.random() < 0.15 else data
