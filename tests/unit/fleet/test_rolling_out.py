# SPDX-License-Identifier: GPL-3.0-or-later
"""Which machines measure, what is rolled out where, and who goes first, as the Ansible collection decides."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

PLUGINS = Path(__file__).parents[3] / "resources/ansible_collections/disktuner/disktuner/plugins"
KERNEL = "6.12.48+deb13-amd64"


def plugin(path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(Path(path).stem, PLUGINS / path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def filters() -> ModuleType:
    return plugin("filter/rolling_out.py")


def interval(elapsed_s: float, **shares: float | None) -> str:
    """What ``disktuner monitor --json`` prints for an interval."""
    return json.dumps({disk: {"elapsed_s": elapsed_s, "programs_waiting": share} for disk, share in shares.items()})


def group(model: str, **more: Any) -> dict[str, Any]:
    return {"model": model, "kernel": "6.12", "goal": "server", "machines": 4, "decision": "switch", "winner": "bfq",
            "clear": True, "ratio": 0.5, "ci_low": 0.4, "ci_high": 0.6, "disagreeing": [], **more}  # fmt: skip


def disk(name: str, model: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "model": model, "vendor": "", "serial": f"S{name}", "wwn": "", "folder": "/srv",
            "in_trial": False, **more}  # fmt: skip


def machine(*disks: dict[str, Any], kernel: str = KERNEL) -> dict[str, Any]:
    return {"kernel": kernel, "disks": list(disks)}


def test_only_what_is_clear_is_chosen(filters: ModuleType) -> None:
    unclear = [
        group("B", decision="keep", winner=None),
        group("C", decision="trade-off", clear=False),
        group("D", decision="undecided", winner=None, clear=False),
        group("E", disagreeing=["host3.json"], clear=False),
    ]
    summary = {"groups": [group("A"), *unclear, group("F", goal="desktop")], "left_out": []}
    assert filters.clear(summary, "server") == [{"model": "A", "kernel": "6.12", "setting": "bfq"}]
    assert filters.unclear(summary, "server") == unclear


@pytest.mark.parametrize(
    ("chosen_for", "release", "fits"),
    [("6.12", KERNEL, True), ("6.1", KERNEL, False), ("6.12.48", KERNEL, True), (KERNEL, KERNEL, True),
     (None, KERNEL, True), ("6.12", "6.12-rc1", True), ("6.12", "6.120.1", False)],
)  # fmt: skip
def test_a_choice_is_for_its_kernel(filters: ModuleType, chosen_for: str | None, release: str, fits: bool) -> None:
    choices = [{"model": "A", "kernel": chosen_for, "setting": "bfq"}]
    chosen = filters.wanted(machine(disk("sda", "A"), kernel=release), choices)
    assert [choice["setting"] for choice in chosen] == (["bfq"] if fits else [])


def test_a_choice_is_for_its_model_and_vendor(filters: ModuleType) -> None:
    choices = [{"model": "A", "vendor": "Sandy", "setting": "bfq"}, {"model": "B", "setting": "none"}]
    host = machine(
        disk("sda", "A"), disk("sdb", "A", vendor="Sandy"), disk("sdc", "B", vendor="Other"), disk("sdd", "C")
    )
    assert [(choice["name"], choice["setting"]) for choice in filters.wanted(host, choices)] == [
        ("sdb", "bfq"),
        ("sdc", "none"),
    ]


def test_a_few_machines_measure_each_model_under_each_kernel(filters: ModuleType) -> None:
    pair = machine(disk("sda", "A"), disk("sdb", "A"), disk("sdc", "B"))
    managed = {
        "one": pair,
        "excluded": pair,
        "busy": machine(disk("sda", "A", in_trial=True), disk("sdb", "", folder="/x"), disk("sdc", "B", folder=None)),
        "two": pair,
        "three": pair,
        "old": machine(disk("sda", "A"), kernel="6.1.0-28-amd64"),
    }
    chosen = filters.to_measure(managed, 2, ["excluded"])
    assert {name: [disk["name"] for disk in disks] for name, disks in chosen.items()} == {
        "one": ["sda", "sdc"], "excluded": [], "busy": [], "two": ["sda", "sdc"], "three": [], "old": ["sda"],
    }  # fmt: skip


def test_one_machine_goes_first_for_each_model(filters: ModuleType) -> None:
    a, b = {"model": "A", "setting": "bfq"}, {"model": "B", "setting": "none"}
    assert filters.canaries({"one": [], "two": [a], "three": [a, b], "four": [a, b]}) == ["three", "two"]


def test_disks_with_the_same_number_are_kept_apart(filters: ModuleType) -> None:
    """As behind USB bridges that tell every disk the same serial number."""
    twins = [disk("sda", "A", serial="0123", actual="mq-deadline"), disk("sdb", "A", serial="0123", actual="kyber")]
    disks = [*twins, disk("sdc", "A"), disk("sdd", "B", wwn="0x5", serial="0123"), disk("sde", "B", serial="")]
    records = filters.records(twins + disks[3:], disks)
    assert [(known, disk["name"]) for known, disk in records.items()] == [
        ("sda", "sda"), ("sdb", "sdb"), ("0x5", "sdd"), ("sde", "sde")
    ]  # fmt: skip
    assert [records[filters.identity(disk, disks)] for disk in twins] == twins


@pytest.mark.parametrize(
    "lie",
    [
        {"name": "x/../../group_vars/all"}, {"name": "-rf"}, {"name": ""}, {"name": "x" * 33}, {"name": None},
        {"model": "{{ lookup('pipe', 'id') }}"}, {"model": "\x1b[2J"}, {"serial": 5}, {"vendor": "x" * 300},
        {"folder": "srv"}, {"folder": ["/srv"]}, {"actual": "--all"}, {"chosen": "a b"}, {"in_trial": "no"},
        {"chosen_tunables": {"iosched/x y": 1}}, {"chosen_tunables": {"nr_requests": "1; id"}}, {"holds": "yes"},
    ],
)  # fmt: skip
def test_what_no_machine_can_say_is_not_believed(filters: ModuleType, lie: dict[str, Any]) -> None:
    true = disk("cciss!c0d0", "WDC WD10EZEX-08WN4A0", actual="mq-deadline", chosen="bfq", until_restart=None,
                chosen_tunables={"queue/nr_requests": 64, "iosched/low_latency": "0"}, holds=True)  # fmt: skip
    assert filters.plausible(machine(true))
    assert not filters.plausible(machine(true | lie))


@pytest.mark.parametrize("seen", [None, [], {}, {"kernel": "a b", "disks": []}, {"kernel": KERNEL, "disks": "sda"}])
def test_an_answer_that_is_none_is_not_believed(filters: ModuleType, seen: object) -> None:
    assert not filters.plausible(seen)


@pytest.mark.parametrize("winner", ["bfq", "bfq:slice_idle=0,queue/nr_requests=64", "--all", "bfq:x=y", "none -x"])
def test_only_a_setting_is_rolled_out(filters: ModuleType, winner: str) -> None:
    chosen = filters.clear({"groups": [group("A", winner=winner)]}, "server")
    assert [choice["setting"] for choice in chosen] == (
        [winner] if winner.startswith("bfq") and "y" not in winner else []
    )


@pytest.mark.parametrize(
    ("intervals", "share"),
    [
        ([interval(1, sda=0.2), interval(3, sda=0.6)], 0.5),
        ([interval(1, sda=0.3, sdb=0.4)], 0.7),
        ([interval(1, sda=0.9, sdb=0.4)], 1.0),
        ([interval(1, sda=0.2), interval(1, sda=None)], None),
        ([interval(1)], None),
        ([], None),
    ],
)
def test_machines_are_judged_by_what_programs_wait_for_their_disks(intervals: list[str], share: float | None) -> None:
    waiting_share = plugin("module_utils/command.py").waiting_share("\n".join(intervals))
    assert waiting_share == (None if share is None else pytest.approx(share))
