# SPDX-License-Identifier: GPL-3.0-or-later
"""Managed machines that answer what they like have no effect on the computer from which Ansible manages them.

And those that answer no more keep others from what they were given.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from disktuner.results.codec import encode
from tests.unit.verdict.making import LAUNCH, made

CHECKOUT = Path(__file__).resolve().parents[2]
ANSIBLE = CHECKOUT / ".venv/ansible/bin"
MODEL, KERNEL = "FAST DISK", "6.1.0-28-amd64"
PYTHON = """#!/usr/bin/python3 -I
# The Python of a machine whose root answers each module as it likes.
import json, pathlib, re, sys
code = sys.stdin.buffer.read()
module = re.search(rb"disktuner\\.plugins\\.modules\\.(\\w+)|ansible\\.modules\\.ping", code)
module = (module[1] or b"ping").decode()
answers = pathlib.Path(sys.argv[0] + ".json")
with answers.with_suffix(".asked").open("a") as asked:
    print(module, file=asked)
print(json.loads(answers.read_text())[module])
"""
LOST = f"""{PYTHON}
if answers.with_suffix(".asked").read_text().split().count("pressure_info") == 2:
    sys.exit(255)  # as ssh(1) does where the connection breaks
"""
SSH = """#!/bin/sh
# In the place of ssh(1): its last word is what the machine is to run.
for last do :; done
exec sh -c "$last"
"""
STANDING: dict[str, Any] = {"actual": "none", "chosen": None, "chosen_tunables": {}, "until_restart": None}
DISK = {
    "name": "sda", "model": MODEL, "vendor": "", "serial": "", "wwn": "", "folder": "/srv", **STANDING,
    "in_trial": False, "holds": None,
}  # fmt: skip
PWN = "{{ lookup('pipe', 'touch pwned') }}"
EVIL = {"disktuner_goal": PWN, "ansible_python_interpreter": "/bin/false"}
SITE = """
- import_playbook: disktuner.disktuner.measure
- import_playbook: disktuner.disktuner.roll_out
- import_playbook: disktuner.disktuner.roll_back
"""
EARLIER = """
- hosts: all
  gather_facts: false
  tasks:
    - ansible.builtin.ping:
- import_playbook: disktuner.disktuner.measure
"""


def measured(host: str) -> str:
    """A machine's result: bfq starts programs in half the time."""
    result = made({(LAUNCH, "bfq"): 0.5}, schedulers=("none", "bfq"), seed=len(host))
    disk = {**result.disk, "model": MODEL, "serial": host, "wwn": ""}
    return encode(replace(result, id=host, disk=disk, machine=replace(result.machine, kernel=KERNEL)))


def truth(host: str) -> dict[str, dict[str, Any]]:
    """An honest machine's answer."""
    return {
        "disks_info": {"changed": False, "kernel": KERNEL, "disks": [DISK]},
        "pressure_info": {"changed": False, "share": 1.5},
        "choice": {"changed": True, "before": STANDING, "diff": {"before": STANDING, "after": STANDING}},
        "comparison": {"changed": False, "result": measured(host)},
    }


def facts(**values: Any) -> dict[str, Any]:
    return {"ansible_facts": values}


def lies(folder: Path) -> dict[str, tuple[str, dict[str, Any] | str]]:
    """For each machine the module whose answer is a lie, and the lie: a whole answer, or an addition to a true one."""
    evil = str(folder / "evil")
    disks = "disks_info"
    pinned = {"goal": "server", "command": evil, "results": f"{folder}/group_vars/all", "records": f"{folder}/any"}
    guest = {"host_name": "guest", "host_vars": {"ansible_connection": "local", "ansible_python_interpreter": evil}}
    return {
        "results": (disks, facts(disktuner_results=f"{folder}/group_vars/all")),
        "records": (disks, facts(disktuner_records=f"{folder}/any")),
        "folder": (disks, facts(disktuner_folder=f"{folder}/any")),
        "command": (disks, facts(disktuner_controller_command=evil)),
        "goal": (disks, facts(disktuner_goal=PWN)),
        "pinned": (disks, facts(disktuner_pinned=pinned)),
        "chosen": (disks, facts(disktuner_chosen=[{"model": MODEL, "kernel": "", "setting": PWN}], disktuner_todo=5)),
        "stopped": (disks, facts(disktuner_stopped=5)),
        "python": (disks, facts(ansible_python_interpreter=evil, ansible_connection="local", ansible_become_exe=evil)),
        "hosts": (disks, facts(ansible_play_hosts=["localhost"], inventory_hostname="../../group_vars/all")),
        "after": ("comparison", facts(disktuner_results=f"{folder}/group_vars/all")),
        "late": ("pressure_info", facts(disktuner_records=f"{folder}/any")),
        "latest": ("choice", facts(disktuner_records=f"{folder}/any")),
        "guest": (disks, {"changed": True, "add_host": guest, "groups": ["disktuner_others"]}),
        "group": (disks, {"changed": True, "add_group": "disktuner_canaries", "parent_groups": ["all"]}),
        "delegated": (disks, {"_ansible_delegated_vars": {"ansible_delegated_host": "localhost"}, **facts(x=evil)}),
        "keys": (disks, {"changed": True, "ansible_stats": 5, "warnings": 5, "deprecations": 5, "exception": 5,
                         "diff": 5, "_ansible_notify": ["x"], "_ansible_no_log": 5, "invocation": 5,
                         "results": [{"changed": True, **facts(disktuner_results=evil)}]}),
        "truth": (disks, {"failed": "no", "changed": 5}),
        "skipped": (disks, {"skipped": True, "disks": None}),
        "gone": (disks, {"unreachable": True}),
        "name": (disks, {"disks": [{**DISK, "name": "x/../../group_vars/all"}]}),
        "model": (disks, {"disks": [{**DISK, "model": PWN}]}),
        "many": (disks, {"disks": [{**DISK, "model": str(number)} for number in range(5000)]}),
        "variables": ("comparison", {"result": json.dumps(EVIL)}),
        "number": ("comparison", {"result": 5}),
        "share": ("pressure_info", {"share": float("nan")}),
        "share-text": ("pressure_info", {"share": PWN}),
        "before": ("choice", {"before": {**STANDING, "actual": "--all"}}),
        "difference": ("choice", {"diff": {"before": [PWN], "after": 5, "x": 1}}),
        "failed": ("choice", {"failed": True, "before": 5}),
        "words": (disks, "hello"),
        "deep": (disks, '{"disks": ' + "[" * 100_000),
        "facts": (disks, '{"ansible_facts": 5}'),
    }  # fmt: skip


MEANINGLESS = ("guest", "group", "keys", "gone")
"""Lies in what is not asked for at all: they are left out of the answer, and the rest of it counts."""


class Fleet:
    """An honest machine, which goes first, and liars; an Ansible whose playbooks manage them from a folder."""

    def __init__(self, folder: Path, liars: dict[str, tuple[str, dict[str, Any] | str]]) -> None:
        self.folder, self._machines = folder, folder / "machines"
        self._machines.mkdir()
        self.add("honest", truth("honest"))
        for name, (module, lie) in liars.items():
            true = truth(name)
            answers = {key: json.dumps(value) for key, value in true.items()}
            answers[module] = lie if isinstance(lie, str) else json.dumps(true[module] | lie)
            self.add(name, answers)
        names = "\n".join(["honest", *liars])
        connection = (
            f"ansible_connection=local\nansible_python_interpreter={self._machines}/{{{{ inventory_hostname }}}}"
        )
        (folder / "hosts").write_text(f"[all]\n{names}\n[all:vars]\n{connection}\n")
        (folder / "site.yml").write_text(SITE)
        evil = folder / "evil"
        evil.write_text(f"#!/bin/sh\ntouch {folder}/pwned\n")
        evil.chmod(0o755)
        (folder / "any").mkdir(mode=0o755)

    def add(self, name: str, answers: dict[str, Any]) -> None:
        texts = {key: value if isinstance(value, str) else json.dumps(value) for key, value in answers.items()}
        (self._machines / f"{name}.json").write_text(json.dumps(texts))
        (self._machines / name).write_text(PYTHON)
        (self._machines / name).chmod(0o755)

    def asked(self, name: str) -> list[str]:
        """Return the modules that a machine ran."""
        return (self._machines / f"{name}.asked").read_text().split()

    def files(self) -> set[str]:
        names = (path.relative_to(self.folder) for path in self.folder.rglob("*") if path.is_file())
        return {str(name) for name in names if name.parts[0] not in (".ansible", ".local", "machines")}

    def play(self, playbook: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        inventory = next(name for name in ("hosts", "inventory") if (self.folder / name).exists())
        return subprocess.run(
            [ANSIBLE / "ansible-playbook", "-i", inventory, playbook, "-e", "disktuner_watch_seconds=1", *arguments],
            cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
            env={
                "PATH": f"{ANSIBLE}:{CHECKOUT / 'packaging/bin'}:/usr/bin:/bin", "HOME": str(self.folder),
                "PWD": str(self.folder), "LANG": "C.UTF-8", "ANSIBLE_NOCOLOR": "1", "ANSIBLE_PIPELINING": "1",
                "ANSIBLE_FORKS": str(2 * (os.cpu_count() or 1)), "PYTHONDONTWRITEBYTECODE": "1",
                "ANSIBLE_COLLECTIONS_PATH": str(CHECKOUT / "resources"),
            },
        )  # fmt: skip


@pytest.fixture
def fleet(tmp_path: Path) -> Fleet:
    return Fleet(tmp_path, lies(tmp_path))


def test_what_machines_answer_is_data_and_nothing_else(fleet: Fleet) -> None:
    """All playbooks in one run: what a machine sets in one of them would be read in the next."""
    before, file_before = fleet.files(), (fleet.folder / "any").stat()
    variables = {
        "disktuner_goal": "desktop",
        "disktuner_machines": 99,
        "disktuner_batches": 99,
        "disktuner_at_once": 99,
    }
    completed = fleet.play("site.yml", "-e", json.dumps(variables))
    output = completed.stdout + completed.stderr
    names = "|".join(["honest", *lies(fleet.folder)])
    foreign = {
        name for name in fleet.files() - before if not re.fullmatch(rf"(results|before)/({names})(-0)?\.json", name)
    }
    assert not foreign, "no file was named by a machine, and nothing of theirs was run"
    assert (fleet.folder / "any").stat() == file_before
    failed = {name: int(count) for name, count in re.findall(r"^(\S+) +: ok=.* failed=(\d+) ", output, re.MULTILINE)}
    assert failed == {"honest": 0} | {name: int(name not in MEANINGLESS) for name in lies(fleet.folder)}, output
    assert fleet.asked("honest") == [
        "disks_info", "comparison", "disks_info", "choice", "pressure_info", "choice", "pressure_info",
        "disks_info", "disks_info", "choice",
    ], "measured; asked, watched; given what is chosen, watched, asked whether it holds; given what it had"  # fmt: skip
    assert "Traceback" not in output and "Unexpected Exception" not in output


def test_what_a_machine_said_in_earlier_plays_sets_nothing(fleet: Fleet) -> None:
    """Facts may come from any module of any playbook, and from a cache."""
    (fleet.folder / "site.yml").write_text(EARLIER)
    fleet.add("honest", truth("honest") | {"ping": facts(disktuner_results=f"{fleet.folder}/group_vars/all")})
    before = fleet.files()
    output = fleet.play("site.yml", "--limit", "honest").stdout
    assert "honest is left out" in output and fleet.files() == before


def test_results_are_not_kept_where_ansible_reads_its_inventory(fleet: Fleet) -> None:
    inventory = fleet.folder / "inventory"
    inventory.mkdir()
    (fleet.folder / "hosts").rename(inventory / "hosts")
    output = fleet.play(
        "disktuner.disktuner.measure", "--limit", "honest", "-e", f"disktuner_folder={inventory}"
    ).stdout
    assert "Name a folder in disktuner_folder" in output and [path.name for path in inventory.iterdir()] == ["hosts"]


@pytest.mark.parametrize("before", [[], ["honest"]], ids=["that-went-first", "of-those-after-it"])
def test_a_machine_that_is_lost_after_the_change_keeps_later_ones_from_it(before: list[str], tmp_path: Path) -> None:
    """A scheduler that hangs a machine takes it off the network: nobody is left who would say that it is worse."""
    fleet = Fleet(tmp_path, {})
    others = {"disks_info": {"changed": False, "kernel": KERNEL, "disks": [{**DISK, "model": "SLOW DISK"}]}}
    for name, answers in {"lost": {}, "slow": others, "slower": others, "last": {}}.items():
        fleet.add(name, truth(name) | answers)
    (tmp_path / "machines/lost").write_text(LOST)
    (tmp_path / "ssh").write_text(SSH)
    (tmp_path / "ssh").chmod(0o755)
    lost = f"lost ansible_connection=ssh ansible_ssh_executable={tmp_path}/ssh"
    names = "\n".join([*before, "slow", lost, "slower", "last"])
    hosts = tmp_path / "hosts"
    hosts.write_text(hosts.read_text().replace("\nhonest\n", f"\n{names}\n"))
    choices = [{"model": model, "setting": "bfq"} for model in (MODEL, "SLOW DISK")]
    variables = {"disktuner_choices": choices, "disktuner_batches": 2}
    completed = fleet.play("disktuner.disktuner.roll_out", "-e", json.dumps(variables))
    assert re.search(r"^lost .* unreachable=1 ", completed.stdout, re.MULTILINE), completed.stdout + completed.stderr
    assert fleet.asked("last") == ["disks_info"] and f"{MODEL}: not here" in completed.stdout
    assert fleet.asked("slower").count("choice") == 2, "the other model goes on"
