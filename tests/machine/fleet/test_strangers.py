# SPDX-License-Identifier: GPL-3.0-or-later
"""What managed machines, neighbours and interrupted runs could do to a roll-out: real users, polkit and Ansible."""

from __future__ import annotations

import json
import re
import shutil
from typing import Any

import pytest

from tests.machine.conftest import CHECKOUT
from tests.machine.fleet.conftest import FAST, Controller, roll_out_state
from tests.machine.rooted import Rooted
from tests.waiting import until

MEASURE = "ansible-playbook -i hosts -e disktuner_machines=9 disktuner.disktuner.measure"
PWN = "{{ lookup('pipe', 'touch pwned') }}"
DISK = {
    "name": "sda", "model": FAST, "vendor": "", "serial": "", "wwn": "", "tunable": True,
    "mounts": [{"path": "/srv/disk", "options": ["rw"], "free_bytes": 1}],
    "actual": "none", "chosen": None, "chosen_tunables": {}, "until_restart": None, "in_trial": False, "holds": None,
}  # fmt: skip
LIES: dict[str, dict[str, Any]] = {
    "bookworm1": {"name": "x/../../group_vars/all"},
    "bookworm2": {"model": PWN},
    "trixie1": {"mounts": [{"path": f"/{PWN}", "options": [], "free_bytes": 1}]},
    "trixie2": {"name": "-rf", "serial": "\x1b[2J"},
}
LIAR = """#!/bin/sh
case $1 in
list | status) cat /opt/lies ;;
compare) while [ "$1" != --out ]; do shift; done; cat /opt/evil >"$2" ;;
esac
"""


def lie(host: Rooted, lies: dict[str, Any]) -> None:
    """From now on that machine's root makes Disktuner answer what it likes."""
    evil = {"format": "disktuner.result/2", "disktuner_goal": PWN, "ansible_python_interpreter": PWN}
    host.run("cat >/opt/lies", json.dumps({"disks": [DISK | lies]}))
    host.run("cat >/opt/evil", json.dumps(evil))
    host.run("cat >/usr/local/bin/disktuner && chmod 755 /usr/local/bin/disktuner /opt/lies /opt/evil", LIAR)


def files(controller: Controller) -> set[str]:
    """Return the controller's files, except those of Ansible, Disktuner and the collection."""
    names = (str(path.relative_to(controller.folder)) for path in controller.folder.rglob("*") if path.is_file())
    return {name for name in names if not name.startswith((".ansible", ".local", "fleet/"))}


@pytest.fixture
def exported(controller: Controller) -> Controller:
    """A controller that has the collection."""
    shutil.copytree(CHECKOUT / "resources/ansible_collections", controller.folder / "fleet/ansible_collections")
    return controller


def test_machines_that_lie_are_left_out_by_name_and_run_nothing(
    exported: Controller,
    hosts: dict[str, Rooted],
) -> None:
    for name, lies in LIES.items():
        lie(hosts[name], lies)
    before = files(exported)
    output = exported.run(f"{MEASURE} -e disktuner_not_measured=[]", code=2)
    for name in LIES:
        assert f"{name} is left out" in output
    chosen = json.dumps({"disktuner_choices": [{"model": FAST, "setting": "bfq"}]})
    exported.run(f"ansible-playbook -i hosts -e '{chosen}' disktuner.disktuner.roll_out", code=2)
    assert files(exported) == before, "no file was named by a machine, and nothing of theirs was run"


def test_what_a_machine_measured_is_data_wherever_it_says_it_is(
    exported: Controller,
    hosts: dict[str, Rooted],
) -> None:
    """A plausible machine with a hostile result: a file of ours, with words that no later play takes for its own."""
    lie(hosts["trixie1"], {})
    before = files(exported)
    exported.run(f"{MEASURE} --limit trixie1")
    assert files(exported) == before | {"results/trixie1-0.json"}
    assert PWN in (exported.folder / "results/trixie1-0.json").read_text()
    exported.run("ansible-playbook -i hosts -e disktuner_goal=desktop --limit trixie1 disktuner.disktuner.roll_out")
    assert files(exported) == before | {"results/trixie1-0.json"}


RULES = "/run/polkit-1/rules.d/*disktuner* /etc/polkit-1/rules.d/*disktuner*"
EVE = """
import os
folder, victim = "/srv/disk", "/etc/victim"
while True:
    for name in os.listdir(folder):
        if name.startswith("disktuner."):
            try:
                os.rename(f"{folder}/{name}", f"{folder}/aside-{name}")
                os.symlink(victim, f"{folder}/{name}")
            except OSError:
                pass
"""


def test_a_neighbour_who_exchanges_folders_has_root_give_nothing_away(
    exported: Controller,
    hosts: dict[str, Rooted],
) -> None:
    """If all may write, the user makes the folders itself; if only root may, nobody can exchange any."""
    host = hosts["trixie1"]
    host.run("useradd eve; mkdir /etc/victim; echo 1 >/etc/victim/file; chmod 777 /srv/disk; cat >/opt/eve.py", EVE)
    host.run("runuser -u eve -- python3 /opt/eve.py >/dev/null 2>&1 </dev/null &")
    look = "stat -c '%n %u %g %a %Z' /etc/victim /etc/victim/file"
    before = host.run(look)
    exported.begin(f"{MEASURE} --limit trixie1")
    code, output = exported.ended()
    host.run("pkill -u eve")
    assert host.run(look) == before
    assert code == 0, output
    assert host.run("find /srv/disk -mindepth 1 -user root -not -name lost+found") == ""


def test_a_run_that_is_broken_off_leaves_a_right_that_ends_and_the_next_clears_it(
    exported: Controller,
    hosts: dict[str, Rooted],
) -> None:
    host, other = hosts["trixie1"], hosts["trixie2"]
    other.run("useradd --system --comment mine disktuner-measure")
    before = roll_out_state({"trixie1": host, "trixie2": other})
    exported.begin(f"{MEASURE} --limit trixie1")
    until(lambda: 'in_trial": true' in host.run("disktuner status --json"))
    host.run("pkill -KILL -u root -x python3; pkill -KILL -u disktuner-measure; true")
    exported.ended()
    until(lambda: 'in_trial": true' not in host.run("disktuner status --json"))
    left = host.run(f"cat {RULES} 2>/dev/null || true")
    assert re.search(r"Date\.now\(\) < \d{13}\b", left)
    ask = "runuser -u disktuner-measure -- sh -c 'pkcheck --action-id org.disktuner.trial --process $$'"
    host.run(ask)
    for action in ("set-runtime", "persist"):
        more = ask.replace("trial", action)
        assert host.run(f"{more} >/dev/null 2>&1 && echo allowed || echo refused") == "refused\n"
    host.run(f"sed -i 's/< [0-9]*/< 1/' {RULES} 2>/dev/null || true")
    until(lambda: host.run(f"{ask} >/dev/null 2>&1 && echo allowed || echo refused") == "refused\n")
    exported.run(f"{MEASURE} --limit trixie1,trixie2")
    assert roll_out_state({"trixie1": host, "trixie2": other}) == before, "only the user that was there before is left"
