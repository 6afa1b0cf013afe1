# SPDX-License-Identifier: GPL-3.0-or-later
"""What a result clearly chooses becomes a rule and a profile; all else, and odd names of hardware, are refused."""

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
from tests.unit.block.trees import Tree, sata
from tests.unit.verdict.making import LAUNCH, WRITE, WRITER, made

from disktuner.block.system import System
from disktuner.block.writers import Writer
from disktuner.cli.main import main
from disktuner.report.engines import NothingToRollOut, choice_of
from disktuner.report.engines.ansible import choices
from disktuner.report.engines.tuned import profile, profile_name
from disktuner.report.engines.udev import rule, rule_file
from disktuner.results.codec import encode
from disktuner.results.model import Result
from disktuner.verdict.judge import judge
from disktuner.verdict.model import Decision
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.settings import setting_of

MODEL = "Fast Disk 2/3 1TB"


def result(winner: str = "bfq", **disk: Any) -> Result:
    """A result that says to switch to the winner, of a disk with these facts."""
    found = made({(LAUNCH, winner): 0.2}, schedulers=("mq-deadline", "none", winner))
    assert judge(found).winner == setting_of(winner)
    return replace(found, disk={**found.disk, "model": MODEL, "transport": "sata", **disk})


def sysroot(path: Path, *udev: str) -> Tree:
    """A machine whose disks have these models by udev's word; sda is the first."""
    tree = Tree(path)
    tree.kernel("6.12.0")
    for number, model in enumerate(udev):
        known = {"ID_MODEL": model, "ID_SERIAL": f"{model}_{number}"}
        name = f"sd{chr(97 + number)}"
        tree.disk(name, f"8:{number * 16}", sata(number + 1), "none [mq-deadline] kyber bfq", 1, udev=known)
    return tree


@contextmanager
def refused(id_: str) -> Iterator[None]:
    with pytest.raises(NothingToRollOut) as error:
        yield
    assert error.value.message.id == id_ and error.value.exit_code == 5


def scheduler_writers(tree: Tree, disk: str) -> list[Writer]:
    system = System(tree.root)
    return [each for each in system.writers(system.disk(disk)) if each.sets_scheduler]


# ---- the choice ----


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
        choice_of(unclear)


@pytest.mark.parametrize(
    "model",
    ['A"B', "A*", "A?", "[AB]", "A|B", "A\nB", "A\\B", "A$b", "A%k", "A{b}", "Ä", "A\x1b[1mB", "A" * 65, "…", "--"],
)
def test_a_model_that_means_more_than_a_name_is_refused(model: str) -> None:
    for disk in ({"model": model}, {"vendor": model}):
        with refused("odd-model-to-roll-out"):
            choice_of(result(**disk))


@given(st.text(max_size=12), st.text(max_size=8))
def test_whatever_a_device_is_called_each_line_is_one_rule_of_ours(model: str, vendor: str) -> None:
    try:
        choice = choice_of(result(model=model, vendor=vendor))
    except NothingToRollOut:
        return
    *comments, line, end = rule(choice).split("\n")
    assert end == "" and all(each.startswith("# ") for each in comments)
    keys = re.findall(r'(?:^|, )([A-Z]+)(?:\{[^}]+\})?[!=]?="[^"\\]*"', line)
    assert keys[:4] == ["ACTION", "SUBSYSTEM", "ENV", "ENV"] and keys[-1] == "ATTR" and line.count('"') == 2 * len(keys)
    assert re.fullmatch(r"85-disktuner-[a-z0-9-]+\.rules", rule_file(choice))
    assert re.fullmatch(r"disktuner-[a-z0-9-]+", profile_name(choice))


# ---- TuneD ----


def active(tree: Tree, profiles: str, **texts: str) -> None:
    tree.write("etc/tuned/active_profile", profiles)
    for name, content in texts.items():
        tree.write(f"etc/tuned/profiles/{name.replace('_', '-')}/tuned.conf", content)


def test_a_profile_includes_the_active_one_and_keeps_what_else_it_sets_for_the_disk(tmp_path: Path) -> None:
    tree = sysroot(tmp_path, "Fast_Disk_2_3_1TB", "Other")
    active(tree, "mine", mine="[main]\nsummary=Mine\n[disk]\nelevator=kyber\nreadahead=>4096\nspindown=6")
    choice = choice_of(result())
    text = profile(choice, System(tree.root).tree)
    assert "\ninclude=mine\n" in text and "\nspindown=6\n" in text and "kyber" not in text
    active(tree, profile_name(choice), **{profile_name(choice): text})
    assert {each.value for each in scheduler_writers(tree, "sda")} == {"bfq", "kyber"}
    assert profile(choice, System(tree.root).tree) == text, "exported anew where it is active, it is the same"


# ---- Ansible ----


def test_the_choices_are_yaml_whatever_the_model_is_called() -> None:
    text = choices(choice_of(result("bfq:slice_idle=0", model="A: #1, (B)", vendor="Sandy")))
    assert text.splitlines()[2:] == [
        "disktuner_choices:", '  - model: "A: #1, (B)"', '    vendor: "Sandy"', '    setting: "bfq:slice_idle=0"'
    ]  # fmt: skip


# ---- the command ----


@pytest.fixture
def exported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    def export(found: Result, engine: str) -> tuple[int, str]:
        file = tmp_path / "result.json"
        file.write_text(encode(found))
        code = main(["export", str(file), "--to", str(tmp_path / "out"), "--as", engine])
        return code, capsys.readouterr().err

    return export


@pytest.mark.parametrize(("engine", "file"), [("udev", "85-disktuner-fast-disk-2-3-1tb.rules"),
                                              ("tuned", "disktuner-fast-disk-2-3-1tb/tuned.conf"),
                                              ("ansible", "disktuner.yml")])  # fmt: skip
def test_the_command_writes_and_says_how_to_use_it(
    engine: str, file: str, exported: Callable[..., tuple[int, str]], tmp_path: Path
) -> None:
    code, said = exported(result(), engine)
    assert code == 0 and str(tmp_path / "out" / file) in said and "To " in said
    assert "bfq" in (tmp_path / "out" / file).read_text()


@pytest.mark.parametrize(("transport", "told"), [("mmc", True), ("sata", False)])
def test_tuned_that_leaves_cards_alone_is_told_for_cards(
    transport: str, told: bool, exported: Callable[..., tuple[int, str]], tmp_path: Path
) -> None:
    found = result()
    code, said = exported(replace(found, disk={**found.disk, "transport": transport}), "tuned")
    (profile,) = (tmp_path / "out").rglob("tuned.conf")
    assert code == 0 and ("July 2025" in said, "issue 776" in profile.read_text()) == (told, told)


@pytest.mark.parametrize(("winner", "told"), [("bfq", False), ("adios", True), ("deadline", True)])
def test_a_scheduler_that_a_kernel_may_lack_is_told(
    winner: str, told: bool, exported: Callable[..., tuple[int, str]]
) -> None:
    code, said = exported(result(winner), "udev")
    assert code == 0 and (text("roll-out-other-scheduler", scheduler=winner) in said) is told


def test_the_command_recomputes_the_verdict_and_writes_nothing_without_one(
    exported: Callable[..., tuple[int, str]], tmp_path: Path
) -> None:
    unclear = made({}, 0.005)
    assert json.loads(encode(unclear))["format"]
    code, said = exported(unclear, "udev")
    assert code == 5 and "nothing to roll out" in said and not (tmp_path / "out").exists()
