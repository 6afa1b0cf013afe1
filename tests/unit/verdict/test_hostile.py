# SPDX-License-Identifier: GPL-3.0-or-later
"""``disktuner verdict`` on files that nobody sound has written: a clear answer or a sentence, never a traceback."""

from __future__ import annotations

import json
import math
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.verdict.making import LAUNCH, WRITE, WRITER, made

from disktuner.cli.main import main
from disktuner.results.codec import encode
from disktuner.results.columns import column
from disktuner.results.model import Caution, SeriesRecord
from disktuner.results.reading import LONGEST_NAME

WRITE_UP_A = (Path(__file__).parents[2] / "data" / "results" / "write-up-a.json").read_text()
EXAMPLES = 150


def as_measured() -> str:
    """A file with everything that a comparison leaves in it."""
    series = SeriesRecord(0, "launch-under-writes", "bfq", 0, column([0.0, 0.1]), {"read": column([1.0, 2.0])})
    result = made({(LAUNCH, "bfq"): 0.2, (WRITER, "bfq"): 0.5, (WRITE, "none"): 0.9}, done=5, planned=5)
    samples = (replace(result.samples[0], valid=False, reason="stalled"), *result.samples[1:])
    full = replace(result, samples=samples, series=(series,), warnings=(Caution("heat", "Hot.", "Wait."),), notes="x")
    return encode(full)


SOUND = {"as measured": as_measured(), "write-up a": WRITE_UP_A}

HOSTILE = (
    *("null", "true", "false", "0", "-0.0", "-1", "1e-320", "1e308", "-1e308", "1e400", "NaN", "Infinity", "-Infinity"),
    *("9" * 25, "9" * 5000, "1" + "0" * 300, "-" + "9" * 25, "0.1" + "0" * 400, "[]", "{}", '""', '"\\u0000"'),
    *('"\\ud800"', '"\\u202e"', f'"{"x" * 300}"', '"lower"', '"disktuner.result/99"', '"1"', "[1]", '[["a"]]'),
    *('{"a": {"b": 1}}', "[" * 3000 + "]" * 3000, '{"a":' * 3000 + "1" + "}" * 3000, "'single'", "undefined", ""),
)
"""What to put in the place of any value; not all of it is JSON."""

PLACE = "\ue000"


def places(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The ways to all values of a document."""
    yield path
    for key, inner in tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ():
        yield from places(inner, (*path, key))


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
    """The document with one of its keys there twice, the second time with something else."""
    at = chance.choice([found.start() for found in re.finditer(r'"[a-z_]+":', text)])
    key = text[at : text.index(":", at)]
    return f"{text[:at]}{key}: {chance.choice(HOSTILE)}, {text[at:]}"


def damaged(data: bytes, chance: random.Random) -> bytes:
    """The file with some of its bytes lost, doubled, moved or changed."""
    for _ in range(chance.choice((1, 1, 2, 8))):
        first, last = sorted(chance.randrange(len(data) + 1) for _ in range(2))
        last = min(last, first + chance.choice((1, 5, 200, len(data))))
        part = chance.choice((b"", data[first:last] * 2, chance.randbytes(3), b"\0", b"\xff", data[: last - first]))
        data = data[:first] + part + data[last:]
        if not data:
            break
    return data


def judged(data: bytes, folder: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any] | None:
    """Run the command on a file; return its verdict, or None where it refused with a sentence."""
    file = folder / "result.json"
    file.write_bytes(data)
    code = main(["verdict", str(file), "--json"])
    out, err = capsys.readouterr()
    if code == 0:
        assert not err
        verdict = json.loads(out, parse_constant=pytest.fail)
        assert verdict["decision"] in ("switch", "keep", "undecided")
        assert (verdict["winner"] is not None) == (verdict["decision"] == "switch")
        assert verdict["why"].endswith(".")
        assert all(part["ratio"] is None or 0 < part["ratio"] < math.inf for part in verdict["comparisons"])
        assert main(["verdict", str(file)]) == 0
        assert capsys.readouterr().out.startswith(verdict["why"])
        return dict(verdict)
    assert code in (2, 5)
    assert not out
    assert err.startswith("disktuner: ") and err.endswith(".\n") and err.count("\n") == 1, err
    assert "unforeseen" not in err and "Traceback" not in err
    assert len(err) < 1000 + LONGEST_NAME
    return None


@pytest.fixture
def spot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile")


@pytest.mark.parametrize("text", SOUND.values(), ids=SOUND)
def test_the_files_to_be_damaged_are_sound(text: str, spot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert judged(text.encode(), spot, capsys)


def test_any_value_may_be_anything(spot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ways = {name: sorted(places(json.loads(text)), key=str) for name, text in SOUND.items()}

    @settings(max_examples=EXAMPLES)
    @given(st.sampled_from(sorted(SOUND)), st.randoms(use_true_random=False))
    def hurt(name: str, chance: random.Random) -> None:
        text = SOUND[name]
        path = chance.choice(ways[name])
        judged(with_value(text, path, chance.choice(HOSTILE)).encode("utf-8", "surrogatepass"), spot, capsys)
        judged(without(text, path).encode(), spot, capsys)
        judged(with_twice(text, chance).encode("utf-8", "surrogatepass"), spot, capsys)

    hurt()


def test_any_bytes_may_be_lost_or_changed(spot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    @settings(max_examples=EXAMPLES)
    @given(st.sampled_from(sorted(SOUND)), st.randoms(use_true_random=False))
    def hurt(name: str, chance: random.Random) -> None:
        judged(damaged(SOUND[name].encode(), chance), spot, capsys)

    hurt()


def test_any_values_may_have_been_measured(spot: Path, capsys: pytest.CaptureFixture[str]) -> None:
    values = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from((0.0, -1.0, 1.0, 1.0, 1.05, 5e-324))
    names = st.sampled_from(("cfq", "noop", "bfq", "ünknöwn 2"))
    metrics = st.sampled_from(
        ("pgbench.tps", "strange.x_s", "stream-under-copy.late_frames", "commit-log.commits_per_s")
    )
    rows = st.builds(
        lambda m, s, r, v, ok: {"metric": m, "scheduler": s, "round": r, "value": v, "valid": ok},
        *(metrics, names, st.integers(0, 6), values, st.booleans() | st.just(True)),
    )

    @settings(max_examples=EXAMPLES)
    @given(
        st.lists(rows, max_size=40),
        st.sampled_from((None, 1, 3, 4, 5, 12, 10**6)),
        st.sampled_from(("desktop", "database", None, "media")),
    )
    def measure(samples: list[dict[str, Any]], rounds: int | None, goal: str | None) -> None:
        odd = json.loads(WRITE_UP_A) | {"samples": samples}
        odd["metrics"]["stream-under-copy.late_frames"] = {"unit": "frames", "better": "lower", "label": "late"}
        odd["plan"] |= {"rounds": rounds, "goal": goal}
        assert judged(json.dumps(odd).encode(), spot, capsys)

    measure()
