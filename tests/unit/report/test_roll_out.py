# SPDX-License-Identifier: GPL-3.0-or-later
"""A clear choice becomes a udev rule; everything else, and odd names of hardware, is refused."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.verdict.making import LAUNCH, WRITE, WRITER, made

from disktuner.cli.main import main
from disktuner.report.roll_out import NothingToRollOut, roll_out_of
from disktuner.report.udev_rule import rule, rule_file
from disktuner.results.codec import encode
from disktuner.results.model import Result
from disktuner.verdict.judge import judge
from disktuner.verdict.outcomes import Decision
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.settings import setting_of

MODEL = "Fast Disk 2/3 1TB"


def result(winner: str = "bfq", **disk: Any) -> Result:
    """A result that says to switch to the winner, for a disk with these facts."""
    result = made({(LAUNCH, winner): 0.2}, schedulers=("mq-deadline", "none", winner))
    assert judge(result).winner == setting_of(winner)
    return replace(result, disk={**result.disk, "model": MODEL, "transport": "sata", **disk})


@contextmanager
def refused(id_: str) -> Iterator[None]:
    with pytest.raises(NothingToRollOut) as error:
        yield
    assert error.value.message.id == id_ and error.value.exit_code == 5


@pytest.mark.parametrize(
    ("effects", "deviation", "decision", "id_"),
    [
        ({}, 0.005, Decision.KEEP, "keep-is-no-roll-out"),
        ({(LAUNCH, "bfq"): 0.9}, 0.5, Decision.UNDECIDED, "undecided-is-no-roll-out"),
        ({(LAUNCH, "bfq"): 0.2, (WRITE, "bfq"): 0.65}, 0.1, Decision.CONDITIONAL, "conditional-is-no-roll-out"),
        ({(LAUNCH, "bfq"): 0.2, (WRITER, "bfq"): 0.2, (WRITE, "bfq"): 0.2}, 0.02, Decision.TRADE_OFF,
         "trade-off-is-no-roll-out"),
    ],
)  # fmt: skip
def test_without_a_clear_verdict_there_is_nothing_to_roll_out(
    effects: dict[tuple[str, str], float], deviation: float, decision: Decision, id_: str
) -> None:
    unclear = made(effects, deviation)
    assert judge(unclear).decision is decision
    with refused(id_):
        roll_out_of(unclear)


@pytest.mark.parametrize(
    "model",
    ['A"B', "A*", "A?", "[AB]", "A|B", "A\nB", "A\\B", "A$b", "A%k", "A{b}", "Ä", "A\x1b[1mB", "A" * 65, "…", "--"],
)
def test_a_model_that_means_more_than_a_name_is_refused(model: str) -> None:
    for disk in ({"model": model}, {"vendor": model}):
        with refused("odd-model-to-roll-out"):
            roll_out_of(result(**disk))


@given(st.text(max_size=12), st.text(max_size=8))
def test_whatever_a_device_is_called_each_line_is_one_rule_of_ours(model: str, vendor: str) -> None:
    try:
        roll_out = roll_out_of(result(model=model, vendor=vendor))
    except NothingToRollOut:
        return
    *comments, line, end = rule(roll_out).split("\n")
    assert end == "" and all(comment.startswith("# ") for comment in comments)
    keys = re.findall(r'(?:^|, )([A-Z]+)(?:\{[^}]+\})?[!=]?="[^"\\]*"', line)
    assert keys[:4] == ["ACTION", "SUBSYSTEM", "ENV", "ENV"] and keys[-1] == "ATTR" and line.count('"') == 2 * len(keys)
    assert re.fullmatch(r"85-disktuner-[a-z0-9-]+\.rules", rule_file(roll_out))


@pytest.fixture
def exported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[[Result], tuple[int, str]]:
    def export(result: Result) -> tuple[int, str]:
        file = tmp_path / "result.json"
        file.write_text(encode(result))
        code = main(["export", str(file), "--to", str(tmp_path / "out"), "--as", "udev"])
        return code, capsys.readouterr().err

    return export


def test_the_command_writes_the_rule_and_says_how_to_use_it(
    exported: Callable[[Result], tuple[int, str]], tmp_path: Path
) -> None:
    code, output = exported(result())
    assert code == 0 and "To use it on a machine" in output
    assert "bfq" in (tmp_path / "out/85-disktuner-fast-disk-2-3-1tb.rules").read_text()


@pytest.mark.parametrize(("winner", "is_named"), [("bfq", False), ("adios", True), ("deadline", True)])
def test_a_scheduler_that_a_kernel_may_lack_is_told(
    winner: str, is_named: bool, exported: Callable[[Result], tuple[int, str]]
) -> None:
    code, output = exported(result(winner))
    assert code == 0 and (text("roll-out-other-scheduler", scheduler=winner) in output) is is_named


def test_the_command_recomputes_the_verdict_and_writes_nothing_without_one(
    exported: Callable[[Result], tuple[int, str]], tmp_path: Path
) -> None:
    unclear = made({}, 0.005)
    assert json.loads(encode(unclear))["format"]
    code, output = exported(unclear)
    assert code == 5 and "nothing to roll out" in output and not (tmp_path / "out").exists()


def test_the_file_that_was_given_is_the_one_to_continue(
    exported: Callable[[Result], tuple[int, str]], tmp_path: Path
) -> None:
    """A file from elsewhere is in no history, by whose ids it could be found."""
    assert f"--continue {tmp_path / 'result.json'}'" in exported(made({(LAUNCH, "bfq"): 0.9}, 0.5))[1]
