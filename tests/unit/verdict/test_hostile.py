# SPDX-License-Identifier: GPL-3.0-or-later
"""``disktuner verdict`` on files that nobody sound has written: a clear answer or a sentence, never a traceback."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.results.hostile import (
    HOSTILE,
    SOUND,
    WAYS,
    WRITE_UP_A,
    damaged,
    with_twice,
    with_value,
    without,
)

from disktuner.cli.main import main
from disktuner.results.reading import LARGEST_NUMBER, LONGEST_NAME
from disktuner.vocabulary.printable import printable

EXAMPLES = 150


def judged(data: bytes, folder: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any] | None:
    """Run the command on a file; return its verdict, or None where it refused with a sentence."""
    file = folder / "result.json"
    file.write_bytes(data)
    code = main(["verdict", str(file), "--json"])
    out, err = capsys.readouterr()
    if code == 0:
        assert not err
        verdict = json.loads(out, parse_constant=pytest.fail)
        assert verdict["decision"] in ("switch", "trade-off", "keep", "undecided")
        assert (verdict["winner"] is not None) == (verdict["decision"] in ("switch", "trade-off"))
        assert verdict["decision"] == "undecided" or verdict["leader"] is verdict["more"] is None
        assert verdict["chance"] is None or 0 <= verdict["chance"] <= 1
        assert verdict["worth"] > 1 and (verdict["bound"] is None or 0 < verdict["bound"] < math.inf)
        assert all(0 <= fact["low"] <= fact["high"] < math.inf for fact in verdict["known"])
        assert verdict["why"].endswith(".")
        assert all(part["ratio"] is None or 0 < part["ratio"] < math.inf for part in verdict["comparisons"])
        assert main(["verdict", str(file)]) == 0
        below_title = capsys.readouterr().out.partition("\n")[2].replace("•", " ")  # what is known is a list
        assert " ".join(below_title.split()).startswith(" ".join(printable(verdict["why"]).split()))
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
    @settings(max_examples=EXAMPLES)
    @given(st.sampled_from(sorted(SOUND)), st.randoms(use_true_random=False))
    def hurt(name: str, chance: random.Random) -> None:
        text = SOUND[name]
        path = chance.choice(WAYS[name])
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
    values = st.floats(-LARGEST_NUMBER, LARGEST_NUMBER) | st.sampled_from((0.0, -1.0, 1.0, 1.0, 1.05, 5e-324))
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
