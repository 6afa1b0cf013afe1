# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible rolls a setting out to computers of two releases, and takes it back, by the commands of docs/fleet.md."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from disktuner.results.codec import encode, load
from tests.conftest import LoopDisk
from tests.machine.conftest import CHECKOUT, wheels
from tests.machine.rooted import ENTER, Release, Rooted, install
from tests.unit.verdict.making import LAUNCH, made

FAST, BIG = "FAST DISK", "BIG DISK"
ANSIBLE = CHECKOUT / ".venv/ansible/bin"
SUITES = ("bookworm", "trixie")
UNMEASURED, ODD = "bookworm1", "trixie1"
VARIABLES = """
  vars:
    disktuner_goal: desktop
    disktuner_machines: 1
    disktuner_not_measured: [bookworm1]
    disktuner_measure_with: [--budget, quick, --workloads, dd-write, --schedulers, bfq]
    disktuner_watch_seconds: 1
"""


def _root(suite: str, built: tuple[Path, ...]) -> Path:
    """The image of a release, or this computer's own files where it has that release."""
    images = [each / "disk.raw" for each in built if each.name.startswith(f"{suite}-")]
    own = platform.freedesktop_os_release().get("VERSION_CODENAME")
    assert images or own == suite, f"./dev test --machine {Path(__file__).name} builds {suite}"
    return images[0] if images else Path("/")


def _libraries(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Those of the app for Debian 12: this checkout's own where its Python is the same, else out of wheels."""
    if sys.version_info[:2] == (3, 11):
        return Path(np.__file__).parents[1]
    folder = tmp_path_factory.mktemp("libraries")
    wanted = ["--only-binary=:all:", "--python-version", "3.11", "--no-index", "--no-deps", "--no-compile"]
    names = [str(wheel) for wheel in wheels(cache)[0].glob("*.whl")]
    subprocess.run([sys.executable, "-I", "-m", "pip", "install", "-q", *wanted, "-t", str(folder), *names], check=True)
    return folder


@pytest.fixture(scope="module")
def releases(built: tuple[Path, ...], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Release]:
    """Both releases, with Disktuner installed."""
    libraries = {"bookworm": _libraries(built[0].parent, tmp_path_factory), "trixie": None}
    base = tmp_path_factory.mktemp("releases")

    def installed(suite: str) -> Release:
        return install(base / suite, _root(suite, built), CHECKOUT, libraries[suite])

    with ThreadPoolExecutor() as pool:
        return dict(zip(SUITES, pool.map(installed, SUITES), strict=True))


@pytest.fixture
def hosts(
    releases: dict[str, Release], loop_disk: Callable[..., LoopDisk], tmp_path: Path
) -> Iterator[dict[str, Rooted]]:
    """Four computers, two of each release, each with two disks of two models."""
    made: dict[str, Rooted] = {}
    try:
        for suite in SUITES:
            for number in (1, 2):
                name = f"{suite}{number}"
                disks = {model: loop_disk(size_mb=2048, fs=None) for model in (FAST, BIG)}
                made[name] = Rooted(tmp_path / name, name, releases[suite], disks)
        yield made
    finally:
        for host in made.values():
            host.end()


class Controller:
    """Where the administrator sits: a folder with the inventory, and the commands."""

    def __init__(self, folder: Path, hosts: dict[str, Rooted]) -> None:
        self.folder = folder
        self.folder.mkdir()
        lines = [f"    {name}: {{ansible_host: {host.pid}}}" for name, host in hosts.items()]
        (folder / "hosts").write_text("\n".join(["all:", "  hosts:", *lines]) + VARIABLES)
        path = f"{ANSIBLE}:{CHECKOUT / 'packaging/bin'}:/usr/bin:/bin"
        self._environment = {
            "PATH": path, "HOME": str(folder), "LANG": "C.UTF-8", "ANSIBLE_COLLECTIONS_PATH": "fleet",
            "ANSIBLE_NOCOLOR": "1", "ANSIBLE_PIPELINING": "1", "ANSIBLE_FORKS": "8",
            "ANSIBLE_SSH_EXECUTABLE": str(ENTER), "ANSIBLE_SSH_TRANSFER_METHOD": "piped",
            "ANSIBLE_PYTHON_INTERPRETER": "/usr/bin/python3", "PYTHONDONTWRITEBYTECODE": "1",
        }  # fmt: skip

    def run(self, command: str, code: int = 0) -> str:
        """What a shell command of the administrator's prints."""
        done = subprocess.run(
            ["/bin/sh", "-euc", command], cwd=self.folder, env=self._environment | {"PWD": str(self.folder)},
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip
        assert done.returncode == code, f"{command}:\n{done.stdout}\n{done.stderr}"
        return done.stdout


def changed(output: str) -> dict[str, int]:
    """How many tasks changed something, by computer."""
    return {name: int(count) for name, count in re.findall(r"^(\S+) +: ok=.* changed=(\d+) ", output, re.MULTILINE)}


def schedulers(hosts: dict[str, Rooted], model: str) -> dict[str, str]:
    return {name: host.disks[model].scheduler for name, host in hosts.items()}


LOOK = """
for disk in /sys/block/*; do
    grep -r . $disk/queue/scheduler $disk/queue/nr_requests $disk/queue/iosched/ 2>/dev/null || true
done
find /etc/udev /etc/polkit-1 /var/lib/disktuner /run/disktuner /srv/disk -not -name lock -not -type d | sort
sed 's/ chosen 20.*//' /etc/udev/rules.d/* 2>/dev/null || true
getent passwd
getent group
"""


def found(hosts: dict[str, Rooted]) -> dict[str, str]:
    """All that a roll-out may touch: settings of disks, rules, rights, users, and what the helper remembers."""
    return {name: host.run(LOOK) for name, host in hosts.items()}


@pytest.fixture
def controller(tmp_path: Path, hosts: dict[str, Rooted]) -> Controller:
    return Controller(tmp_path / "controller", hosts)


def commands() -> list[str]:
    """The commands of the page, in its order."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", (CHECKOUT / "docs/fleet.md").read_text(), re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


def measured(host: str, model: str, gain: float, seed: int) -> str:
    """What a machine would have found: bfq starts programs in that part of the time."""
    found = made({(LAUNCH, "bfq"): gain}, schedulers=("none", "bfq"), seed=seed)
    disk = {**found.disk, "model": model, "serial": f"{model}-{host}", "wwn": ""}
    machine = replace(found.machine, kernel=platform.release())
    return encode(replace(found, id=f"{host}-{model[:3]}", disk=disk, machine=machine))


def agree_but_for_one(results: Path, hosts: dict[str, Rooted]) -> None:
    """All say the same of FAST, and one of them something else of BIG."""
    for old in results.iterdir():
        old.unlink()
    for seed, name in enumerate(hosts):
        (results / f"{name}-fast.json").write_text(measured(name, FAST, 0.5, seed))
        (results / f"{name}-big.json").write_text(measured(name, BIG, 3.0 if name == ODD else 0.5, 10 + seed))


def test_the_commands_of_the_page(controller: Controller, hosts: dict[str, Rooted]) -> None:
    (controller.folder / "result.json").write_text(measured("desk", FAST, 0.5, 99))
    before, none, bfq = found(hosts), dict.fromkeys(hosts, "none"), dict.fromkeys(hosts, "bfq")
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
    assert found(hosts) == before, "neither user nor right nor anything else is left"
    agree_but_for_one(results, hosts)
    assert f"{ODD}-big.json" in next_is("summary")

    said = next_is("--check --diff")
    assert changed(said) == dict.fromkeys(hosts, 1) and '+    "actual": "bfq"' in said
    assert found(hosts) == before, "what would change was only told"
    said = next_is("roll_out")
    assert f"{BIG} on" in said and f"{ODD}-big.json" in said
    assert (schedulers(hosts, FAST), schedulers(hosts, BIG)) == (bfq, none), "one odd machine stops its model only"
    assert changed(next_is("-e @fleet/disktuner.yml --check")) == dict.fromkeys(hosts, 0)
    assert changed(next_is("roll_out")) == dict.fromkeys(hosts, 0), "a second run changes nothing"
    next_is("roll_back")
    assert found(hosts) == before

    next_is("--as udev")
    for _ in range(3):
        next_is("ansible -i hosts all")
    assert (schedulers(hosts, FAST), schedulers(hosts, BIG)) == (bfq, none), "a real udevd of each release"
    next_is("--as tuned")
    assert next(todo, None) is None


def test_where_programs_wait_more_it_is_taken_back_and_stops(controller: Controller, hosts: dict[str, Rooted]) -> None:
    (controller.folder / "result.json").write_text(measured("desk", FAST, 0.5, 99))
    controller.run("disktuner export result.json --to fleet --as ansible")
    first, *_ = hosts.values()
    first.run(f"disktuner set {first.disks[FAST].name} kyber --persist")
    before = found(hosts)
    first.wait_with("bfq", first.disks[FAST])
    said = controller.run("ansible-playbook -i hosts -e @fleet/disktuner.yml disktuner.disktuner.roll_out", code=2)
    assert f"{FAST}: programs waited for disks in" in said
    assert found(hosts) == before, "given back what was chosen before, and no other machine was touched"


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
        host.run(f"disktuner export result.json --to {place} --as tuned")
        fast, big = (host.disks[model].name for model in (FAST, BIG))
        told = host.run(f"set -- disktuner-fast-disk {fast} {big}; {ACTIVATE}").splitlines()
        assert "[bfq]" in told[0] and "[kyber]" in told[1], told
        assert min(map(int, told[2:])) >= 1024, "what else the active profile sets"


def test_the_collection_is_as_ansible_lint_wants_it_for_production(tmp_path: Path) -> None:
    place = tmp_path / "ansible_collections"
    shutil.copytree(CHECKOUT / "resources/ansible_collections", place)
    done = subprocess.run(
        [ANSIBLE / "ansible-lint", "--offline", "--strict", "--profile", "production", "."],
        cwd=place / "disktuner/disktuner", stdin=subprocess.DEVNULL, capture_output=True, text=True,
        check=False, timeout=300,
        env={"PATH": f"{ANSIBLE}:/usr/bin:/bin", "HOME": str(tmp_path), "LANG": "C.UTF-8",
             "ANSIBLE_COLLECTIONS_PATH": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
