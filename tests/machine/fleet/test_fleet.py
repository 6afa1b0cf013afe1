# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible rolls a setting out to computers of two releases, and undoes it, with the commands of docs/fleet.md."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

from disktuner.results.codec import encode, load
from tests.machine.conftest import CHECKOUT
from tests.machine.fleet.conftest import ANSIBLE, BIG, FAST, ODD, UNMEASURED, Controller, roll_out_state, schedulers
from tests.machine.rooted import Rooted
from tests.unit.verdict.making import LAUNCH, made


def changed(output: str) -> dict[str, int]:
    """Return how many tasks changed something, by computer."""
    return {name: int(count) for name, count in re.findall(r"^(\S+) +: ok=.* changed=(\d+) ", output, re.MULTILINE)}


def commands() -> list[str]:
    """Return the page's commands in order."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", (CHECKOUT / "docs/fleet.md").read_text(), re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


def measured(host: str, model: str, gain: float, seed: int) -> str:
    """Return what a machine would have measured: bfq starts programs in that share of the time."""
    result = made({(LAUNCH, "bfq"): gain}, schedulers=("none", "bfq"), seed=seed)
    disk = {**result.disk, "model": model, "serial": f"{model}-{host}", "wwn": ""}
    machine = replace(result.machine, kernel=platform.release())
    return encode(replace(result, id=f"{host}-{model[:3]}", disk=disk, machine=machine))


def agree_but_for_one(results: Path, hosts: dict[str, Rooted]) -> None:
    """Make all agree on FAST, and one of them differ on BIG."""
    for old in results.iterdir():
        old.unlink()
    for seed, name in enumerate(hosts):
        (results / f"{name}-fast.json").write_text(measured(name, FAST, 0.5, seed))
        (results / f"{name}-big.json").write_text(measured(name, BIG, 3.0 if name == ODD else 0.5, 10 + seed))


def test_the_commands_of_the_page(controller: Controller, hosts: dict[str, Rooted]) -> None:
    (controller.folder / "result.json").write_text(measured("desk", FAST, 0.5, 99))
    before, none, bfq = roll_out_state(hosts), dict.fromkeys(hosts, "none"), dict.fromkeys(hosts, "bfq")
    todo = iter(commands())

    def next_is(words: str) -> str:
        command = next(todo)
        assert words in command
        return controller.run(command)

    assert "bfq" in next_is("verdict")
    next_is("--as ansible")
    assert next(todo) == "export ANSIBLE_COLLECTIONS_PATH=fleet"  # as Controller has it

    next_is("measure")
    results = controller.folder / "results"
    (only,) = results.iterdir()
    assert not only.name.startswith(UNMEASURED) and load(only).disk["model"] == FAST
    assert roll_out_state(hosts) == before, "neither user nor right nor anything else is left"
    agree_but_for_one(results, hosts)
    assert f"{ODD}-big.json" in next_is("summary")

    output = next_is("--check --diff")
    assert changed(output) == dict.fromkeys(hosts, 1) and '+    "actual": "bfq"' in output
    assert roll_out_state(hosts) == before, "what would change was only told"
    output = next_is("roll_out")
    assert f"{BIG} on" in output and f"{ODD}-big.json" in output
    assert (schedulers(hosts, FAST), schedulers(hosts, BIG)) == (bfq, none), "one odd machine stops its model only"
    assert changed(next_is("-e @fleet/disktuner.yml --check")) == dict.fromkeys(hosts, 0)
    assert changed(next_is("roll_out")) == dict.fromkeys(hosts, 0), "a second run changes nothing"
    next_is("roll_back")
    assert roll_out_state(hosts) == before

    next_is("--as udev")
    for _ in range(3):
        next_is("ansible -i hosts all")
    assert (schedulers(hosts, FAST), schedulers(hosts, BIG)) == (bfq, none), "a real udevd of each release"
    next_is("--as tuned")
    assert next(todo, None) is None


def test_where_programs_wait_more_it_is_taken_back_and_stops(controller: Controller, hosts: dict[str, Rooted]) -> None:
    (controller.folder / "result.json").write_text(measured("desk", FAST, 0.5, 99))
    controller.run("disktuner-fleet export result.json --to fleet --as ansible")
    first, *_ = hosts.values()
    first.run(f"disktuner set {first.disks[FAST].name} kyber --persist")
    before = roll_out_state(hosts)
    first.wait_with("bfq", first.disks[FAST])
    output = controller.run("ansible-playbook -i hosts -e @fleet/disktuner.yml disktuner.disktuner.roll_out", code=2)
    assert f"{FAST}: programs waited for disks in" in output
    assert roll_out_state(hosts) == before, "given back what was chosen before, and no other machine was touched"


def test_pressure_that_no_disk_confirms_stops_nothing(controller: Controller, hosts: dict[str, Rooted]) -> None:
    """As a program that sleeps in io_uring causes it."""
    (controller.folder / "result.json").write_text(measured("desk", FAST, 0.5, 99))
    controller.run("disktuner-fleet export result.json --to fleet --as ansible")
    for host in hosts.values():
        host.wait_with("bfq", host.disks[FAST], truly=False)
    controller.run("ansible-playbook -i hosts -e @fleet/disktuner.yml disktuner.disktuner.roll_out")
    assert schedulers(hosts, FAST) == dict.fromkeys(hosts, "bfq")


PROFILE = "[main]\nsummary=Mine\n\n[disk]\nelevator=kyber\nreadahead=>1024\n"
ACTIVATE = """
has() { grep -q "\\[$2\\]" /sys/block/$1/queue/scheduler; }
tuned --no-dbus --no-socket --profile "$1" >/dev/null 2>&1 &
for wait in $(seq 300); do
    if has $2 bfq && has $3 kyber; then break; fi
    sleep 0.1
done
cat /sys/block/$2/queue/scheduler /sys/block/$3/queue/scheduler
cat /sys/block/$2/queue/read_ahead_kb /sys/block/$3/queue/read_ahead_kb
kill $!
wait $! || true
"""


def test_a_real_tuned_gives_the_model_its_scheduler_and_all_disks_the_rest(hosts: dict[str, Rooted]) -> None:
    with_tuned = [host for host in hosts.values() if host.run("command -v tuned || true")]
    assert hosts["trixie1"] in with_tuned
    for host in with_tuned[::2]:  # one of each release that has it
        place = host.run("test -d /usr/lib/tuned/profiles && echo /etc/tuned/profiles || echo /etc/tuned").strip()
        host.run(f"mkdir -p {place}/mine && cat >{place}/mine/tuned.conf", PROFILE)
        host.run("echo mine >/etc/tuned/active_profile; cat >/root/result.json", measured("desk", FAST, 0.5, 99))
        host.run(f"disktuner-fleet export result.json --to {place} --as tuned")
        fast, big = (host.disks[model].name for model in (FAST, BIG))
        profile = host.run(f"set -- disktuner-fast-disk {fast} {big}; {ACTIVATE}").splitlines()
        assert "[bfq]" in profile[0] and "[kyber]" in profile[1], profile
        assert min(map(int, profile[2:])) >= 1024, "what else the active profile sets"


def test_the_collection_is_as_ansible_lint_wants_it_for_production(tmp_path: Path) -> None:
    place = tmp_path / "ansible_collections"
    shutil.copytree(CHECKOUT / "resources/ansible_collections", place)
    completed = subprocess.run(
        [ANSIBLE / "ansible-lint", "--offline", "--strict", "--profile", "production", "."],
        cwd=place / "disktuner/disktuner", stdin=subprocess.DEVNULL, capture_output=True, text=True,
        check=False, timeout=300,
        env={"PATH": f"{ANSIBLE}:/usr/bin:/bin", "HOME": str(tmp_path), "LANG": "C.UTF-8",
             "ANSIBLE_COLLECTIONS_PATH": str(tmp_path)},
    )  # fmt: skip
    assert completed.returncode == 0, completed.stdout + completed.stderr
