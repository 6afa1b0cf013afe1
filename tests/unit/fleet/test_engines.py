# SPDX-License-Identifier: GPL-3.0-or-later
"""A clear choice becomes a TuneD profile and choices for Ansible."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.block.trees import Tree, sata
from tests.unit.report.test_roll_out import result

from disktuner.block.system import System
from disktuner.block.writers import Writer
from disktuner.block.writers.owners import writers_of
from disktuner.cli.main import main
from disktuner.report.roll_out import roll_out_of
from disktuner.results.codec import encode
from disktuner.results.model import Result
from disktuner_fleet.__main__ import FLEET
from disktuner_fleet.engines.ansible import choices
from disktuner_fleet.engines.tuned import profile, profile_name


def sysroot(path: Path, *udev: str) -> Tree:
    """A machine whose disks have these models according to udev; sda is the first."""
    tree = Tree(path)
    tree.kernel("6.12.0")
    for number, model in enumerate(udev):
        known = {"ID_MODEL": model, "ID_SERIAL": f"{model}_{number}"}
        name = f"sd{chr(97 + number)}"
        tree.disk(name, f"8:{number * 16}", sata(number + 1), "none [mq-deadline] kyber bfq", 1, udev=known)
    return tree


def scheduler_writers(tree: Tree, disk: str) -> list[Writer]:
    system = System(tree.root)
    return [writer for writer in writers_of(system, system.disk(disk)) if writer.sets_scheduler]


# ---- TuneD ----


def active(tree: Tree, profiles: str, **texts: str) -> None:
    tree.write("etc/tuned/active_profile", profiles)
    for name, content in texts.items():
        tree.write(f"etc/tuned/profiles/{name.replace('_', '-')}/tuned.conf", content)


def test_a_profile_includes_the_active_one_and_keeps_what_else_it_sets_for_the_disk(tmp_path: Path) -> None:
    tree = sysroot(tmp_path, "Fast_Disk_2_3_1TB", "Other")
    active(tree, "mine", mine="[main]\nsummary=Mine\n[disk]\nelevator=kyber\nreadahead=>4096\nspindown=6")
    roll_out = roll_out_of(result())
    text = profile(roll_out, System(tree.root).tree)
    assert "\ninclude=mine\n" in text and "\nspindown=6\n" in text and "kyber" not in text
    active(tree, profile_name(roll_out), **{profile_name(roll_out): text})
    assert {writer.value for writer in scheduler_writers(tree, "sda")} == {"bfq", "kyber"}
    assert profile(roll_out, System(tree.root).tree) == text, "exported anew where it is active, it is the same"


# ---- Ansible ----


def test_the_choices_are_yaml_whatever_the_model_is_called() -> None:
    text = choices(roll_out_of(result("bfq:slice_idle=0", model="A: #1, (B)", vendor="Sandy")))
    assert text.splitlines()[2:] == [
        "disktuner_choices:", '  - model: "A: #1, (B)"', '    vendor: "Sandy"', '    setting: "bfq:slice_idle=0"'
    ]  # fmt: skip


# ---- the command ----


@pytest.fixture
def exported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    def export(result: Result, engine: str) -> tuple[int, str]:
        file = tmp_path / "result.json"
        file.write_text(encode(result))
        code = main(["export", str(file), "--to", str(tmp_path / "out"), "--as", engine], FLEET)
        return code, capsys.readouterr().err

    return export


@pytest.mark.parametrize(("engine", "file"), [("udev", "85-disktuner-fast-disk-2-3-1tb.rules"),
                                              ("tuned", "disktuner-fast-disk-2-3-1tb/tuned.conf"),
                                              ("ansible", "disktuner.yml")])  # fmt: skip
def test_the_command_writes_and_says_how_to_use_it(
    engine: str, file: str, exported: Callable[..., tuple[int, str]], tmp_path: Path
) -> None:
    code, output = exported(result(), engine)
    assert code == 0 and str(tmp_path / "out" / file) in output and "To " in output
    assert "bfq" in (tmp_path / "out" / file).read_text()


def test_choices_for_other_disks_are_not_replaced(exported: Callable[..., tuple[int, str]], tmp_path: Path) -> None:
    file = tmp_path / "out" / "disktuner.yml"
    assert [exported(result(setting), "ansible")[0] for setting in ("bfq:slice_idle=0", "bfq")] == [0, 0]
    before = file.read_text()
    code, output = exported(result(model="Another Disk"), "ansible")
    assert code == 5 and str(file) in output and file.read_text() == before


@pytest.mark.parametrize(("transport", "is_named"), [("mmc", True), ("sata", False)])
def test_tuned_that_leaves_cards_alone_is_told_for_cards(
    transport: str, is_named: bool, exported: Callable[..., tuple[int, str]], tmp_path: Path
) -> None:
    measured = result()
    code, output = exported(replace(measured, disk={**measured.disk, "transport": transport}), "tuned")
    (profile,) = (tmp_path / "out").rglob("tuned.conf")
    assert code == 0 and ("July 2025" in output, "issue 776" in profile.read_text()) == (is_named, is_named)
