# SPDX-License-Identifier: GPL-3.0-or-later
"""The result format: what is written can be read again, and hostile files get a sentence."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

from disktuner.results.codec import decode, encode, load
from disktuner.results.model import FORMAT, BadResult, NoSuchResult
from disktuner.vocabulary.english import TEXTS
from disktuner.vocabulary.messages import Message, message, say
from disktuner.vocabulary.settings import Setting, parse_setting

FORMAT_2 = Path(__file__).parents[2] / "data" / "results" / "format-2.json"
WRITE_UP_A = Path(__file__).parents[2] / "data" / "results" / "write-up-a.json"


def document(**changes: Any) -> dict[str, Any]:
    return json.loads(WRITE_UP_A.read_text()) | changes


def sample(**changes: Any) -> dict[str, Any]:
    return {"metric": "pgbench.tps", "scheduler": "noop", "round": 0, "order": 0, "value": 1.0} | changes


def test_a_result_survives_writing_and_reading() -> None:
    for file in (WRITE_UP_A, FORMAT_2):
        result = load(file)
        assert decode(encode(result)) == result and len(result.samples) == 16
    assert json.loads(encode(result))["warnings"] == json.loads(FORMAT_2.read_text())["warnings"]
    assert {sample.reason.id for sample in result.samples if sample.reason} > {"other-io", "of-a-newer-version"}


def test_a_result_is_read_again_whatever_a_command_that_failed_was() -> None:
    result, command, paths = load(WRITE_UP_A), "make " * 500, ("a",) * 150
    failed = message("run-failed", error=message("own-failed", command=command, status=1, output="", paths=paths))
    kept_reason = message("run-invalid", reason=failed)
    again = decode(encode(replace(result, warnings=(kept_reason,))))
    (kept,) = again.warnings
    assert again.samples == result.samples and kept.id == kept_reason.id and kept != kept_reason
    assert say(kept)[:1900] == say(kept_reason)[:1900]


def test_unknown_keys_are_passed_over() -> None:
    odd = document(future={"a": 1})
    for place in ("plan", "machine", "filesystem"):
        odd[place]["odd"] = place
    odd["samples"][3]["odd"] = [1]
    odd["metrics"]["pgbench.tps"]["odd"] = None
    assert decode(json.dumps(odd)) == load(WRITE_UP_A)


def test_what_is_no_setting_of_ours_is_a_scheduler_and_each_setting_is_one_however_it_is_written() -> None:
    names = ["noop", "bfq:slice_idle=0", "bfq:iosched/slice_idle=0", "bfq:nonsense=1"]
    samples = [sample(scheduler=name, order=at) for at, name in enumerate(names)]
    result = decode(json.dumps(document(plan={"baseline": "noop", "schedulers": names}, samples=samples)))
    idle, other = parse_setting("bfq:slice_idle=0"), Setting("bfq:nonsense=1")
    assert result.plan.settings == (Setting("noop"), idle, other)
    assert [sample.setting for sample in result.samples] == [Setting("noop"), idle, idle, other]
    assert {row["scheduler"] for row in json.loads(encode(result))["samples"]} == {*names} - {names[2]}


def test_a_file_may_say_little() -> None:
    metrics = {"a metric (ms)": {"better": "lower"}}
    little = {"format": FORMAT, "plan": {"baseline": "noop"}, "metrics": metrics}
    result = decode(json.dumps(little | {"samples": [sample(metric="a metric (ms)")]}))
    assert result.metrics["a metric (ms)"].label == "a metric (ms)" and result.disk == {}


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("", "truncated"),
        (WRITE_UP_A.read_text()[:900], "not a complete result"),
        ('{"x": ' + "[" * 100_000, "recursion"),
        ('{"format": "disktuner.result/2", "samples": [{"value": NaN}]}', "invalid character"),
        ('{"format": "disktuner.result/2", "n": ' + "9" * 5000, "not a complete result"),
        (json.dumps(document(format="disktuner.result/3")), "a newer Disktuner"),
        (json.dumps(document(format="disktuner.result/1")), "measure again"),
        ("{}", "not a Disktuner result"),
        ("[]", "object"),
        (json.dumps(document(samples={})), r"`array`, got `object` - at `\$.samples`"),
        (
            json.dumps(document(samples=[sample(), sample(value="3")])),
            r"`float`, got `str` - at `\$.samples\[1\].value`",
        ),
        (json.dumps(document(samples=[sample(value=None)])), "value"),
        (json.dumps(document(samples=[sample(scheduler="a\x1b[2J")])), "scheduler"),
        (json.dumps(document(samples=[sample(scheduler="a\n")])), "scheduler"),
        (json.dumps(document(samples=[sample(round=-1)])), ">= 0"),
        (json.dumps(document(samples=[sample(round=2**70)])), "<= 1000000"),
        (json.dumps(document(samples=[sample(metric="what")])), "less or more"),
        (json.dumps(document(samples=[sample(scheduler=f"s{n}") for n in range(65)])), "more values"),
        (json.dumps(document(plan={})), r"`baseline` - at `\$.plan`"),
        (json.dumps(document(metrics={"a": {"better": "up\x1b"}})), "better"),
        (json.dumps(document(metrics={"a": {"better": "x" * 10**6}})), "Invalid enum value"),
        (json.dumps(document(samples=[sample(value=1)])).replace('"value": 1', '"value": 1e999'), "out of range"),
        (json.dumps(document(disk={"size_bytes": "large"})), "bytes"),
        (json.dumps(document(disk={"mounts": [{"via": [["a"]]}]})), "disk"),
        (json.dumps(document(sizes={"dd-write": {"scale": "/home/jana"}})), "sizes"),
        (json.dumps(document(histograms={"0": {"/home/jana": []}})), "histograms"),
        (json.dumps(document(series=[{"times_s": "AACAPw==", "figures": {"a": ""}}])), "as many"),
        (json.dumps(document(series=[{"times_s": "AACAfw==", "figures": {}}])), "finite"),
        (json.dumps(document(series=[{"times_s": "AAAA", "figures": {}}])), "multiple"),
        (json.dumps(document(series=[{"times_s": "not base64", "figures": {}}])), "base64"),
        (json.dumps(document(own={"command": ""})), "neither one command nor one program"),
        (json.dumps(document(own={"command": "a", "shell": True})), r"\$.own.shell"),
        (json.dumps(document(own={"command": "a", "beside": " "})), "own"),
        (json.dumps(document(own={"command": "a", "limit_s": 1e300})), "own"),
    ],
)
def test_hostile_text_gets_a_sentence(text: str, word: str) -> None:
    with pytest.raises(BadResult, match=word) as caught:
        decode(text)
    assert caught.value.exit_code == 5
    refusal = str(caught.value)
    assert refusal.endswith(".") and len(refusal) < 500 and refusal.isprintable()


def test_a_missing_file_and_a_foreign_one(tmp_path: Path) -> None:
    with pytest.raises(NoSuchResult) as caught:
        load(tmp_path / "none.json")
    assert caught.value.exit_code == 2
    (tmp_path / "x").write_bytes(b"\xff\xfe\x00\x81")
    with pytest.raises(BadResult, match="not a complete result"):
        load(tmp_path / "x")


@pytest.mark.parametrize(
    "value",
    [
        {"id": "x" * 300},
        {"id": "a\x1b[2J"},
        {"id": "a", "values": {"n": 2**70}},
        {"id": "a", "values": {"t": "x" * 3000}},
        {"id": "a", "values": {"l": ["x"] * 200}},
        {"id": "a", "values": {f"n{n}": n for n in range(30)}},
        {"id": "a", "values": {"m": {"id": "b", "values": {"m": {"id": "c", "values": {"m": {"id": "d"}}}}}}},
        "text",
        3,
    ],
)
def test_a_message_of_strangers_is_bounded(value: Any) -> None:
    for changes in ({"samples": [sample(reason=value)]}, {"warnings": [value]}):
        with pytest.raises(BadResult):
            decode(json.dumps(document(**changes)))


@pytest.mark.parametrize(
    "value", ["{0.__class__}{x!r}%s", -5e-324, 2**64, None, True, ("a", "{b}"), message("literal")], ids=repr
)
def test_known_messages_with_any_values_are_said_safely(value: Any) -> None:
    for known, template in TEXTS.items():
        whole = template if isinstance(template, str) else "".join(template)
        names = {name for _, name, _, _ in Formatter().parse(whole) if name}
        sentence = say(Message(known, tuple((name, value) for name in names)))
        assert sentence and "object at 0x" not in sentence


@pytest.mark.parametrize(
    "wrong",
    [
        {"parts": [{"metric": "pgbench.tps", "weight": 0}], "worth": 1.1},
        {"parts": [{"metric": "pgbench.tps", "weight": 1e9}], "worth": 1.1},
        {"parts": [{"metric": "pgbench.tps"}, {"metric": "pgbench.tps"}], "worth": 1.1},
        {"parts": [{"metric": "pgbench.tps"}], "worth": 1},
        {"parts": [{"metric": "pgbench.tps"}], "worth": True},
        {"parts": [], "prices": [{"metric": "pgbench.tps", "may_lose": 1.0}], "worth": 1.1},
        {"parts": "pgbench.tps", "worth": 1.1},
        {"worth": 1.1},
    ],
)
def test_a_question_that_cannot_be_one_is_refused(wrong: dict[str, Any]) -> None:
    odd = document()
    odd["plan"]["question"] = wrong
    with pytest.raises(BadResult):
        decode(json.dumps(odd))
