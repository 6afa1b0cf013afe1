# SPDX-License-Identifier: GPL-3.0-or-later
"""Callers of several users, and disks with an identity, for tests against the real helper, bus and polkit."""

from __future__ import annotations

import getpass
import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pexpect
import pytest

from disktuner.block.system import System
from disktuner.block.writers import Writer
from disktuner.block.writers.owners import writers_of
from tests.bus.confine import Group
from tests.conftest import LoopDisk, Sudo
from tests.waiting import until

RULES = Path("/etc/udev/rules.d")


def own_rules() -> list[Path]:
    """Return the rule files of the persistent choices, one per disk."""
    return sorted(RULES.glob("90-disktuner*.rules"))


CHECKOUT = Path(__file__).parents[2]
UNIT = CHECKOUT / "resources/systemd/disktuner-helper.service"
CONFINE = ("/usr/bin/python3", str(Path(__file__).with_name("confine.py")), str(UNIT))
PROGRAM = "/usr/libexec/disktuner-helper"
# Where the confined helper lies: the checkout may be in a home, which it can't see.
PLACE = "/usr/libexec/disktuner-confined"
SIGNATURES = {
    "Set": "(a(st)sa{ss}b)",
    "Insist": "(a(st)sa{ss})",
    "Revert": "(a(st))",
    "Forget": "(a(st))",
    "Undo": "(a(st))",
    "BeginTrial": "(a(st))",
    "SetTrial": "(sssa{ss})",
    "KeepTrial": "(sb)",
    "KeepAlive": "(s)",
    "EndTrial": "(s)",
    "BeginFieldTrial": "(a(st)a(sa{ss})t)",
    "SetFieldTrial": "(su)",
    "EndFieldTrial": "(s)",
    "GetState": "()",
}


class Refusal(Exception):
    """An error of the helper; its text is the D-Bus name without our prefix."""


class Caller:
    """A process on the bus. ``pid`` is the caller's own, ``name`` its bus name."""

    def __init__(self, user: str, prefix: Sequence[str] = ()) -> None:
        is_this_user = not prefix and user in ("", getpass.getuser())
        prefix = prefix or ([] if is_this_user else ["sudo", "-n", "-u", user, "--"])
        script = str(Path(__file__).with_name("caller.py"))
        self.process = subprocess.Popen(
            [*prefix, "/usr/bin/python3", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self.name = str(self._read()["name"])
        self.pid = self.process.pid if is_this_user else int(until(lambda: _children(self.process.pid))[0])

    def send(self, method: str, *arguments: Any, interactive: bool = False) -> None:
        request = {"method": method, "types": SIGNATURES[method], "arguments": arguments, "interactive": interactive}
        assert self.process.stdin
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()

    def answer(self) -> Any:
        answer = self._read()
        if "error" in answer:
            name = answer["error"].removeprefix("org.disktuner.Error.").rpartition(".")[2]
            raise Refusal(name) from RuntimeError(answer["text"])
        return answer["ok"][0] if answer["ok"] else None

    def call(self, method: str, *arguments: Any, interactive: bool = False) -> Any:
        self.send(method, *arguments, interactive=interactive)
        return self.answer()

    def set(
        self, disk: LoopDisk, scheduler: str, tunables: dict[str, str] | None = None, *, persist: bool = False
    ) -> dict[str, str]:
        """Set a disk; return the rules."""
        return dict(self.call("Set", named(disk), scheduler, tunables or {}, persist))

    def begin(self, disk: LoopDisk) -> str:
        """Begin a trial of a disk; return its id."""
        return str(self.call("BeginTrial", named(disk)))

    def set_trial(self, trial: str, disk: LoopDisk, scheduler: str, tunables: dict[str, str] | None = None) -> None:
        self.call("SetTrial", trial, disk.name, scheduler, tunables or {})

    def state(self) -> dict[str, Any]:
        return dict(json.loads(self.call("GetState")))

    def leave(self) -> None:
        assert self.process.stdin and self.process.stdout
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()

    def _read(self) -> dict[str, Any]:
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert line, "the caller died"
        return dict(json.loads(line))


def _children(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def tomorrow() -> int:
    """The Unix time a day after this process began."""
    return int(Path("/proc/self").stat().st_mtime) + 86400


def another_system(folder: str) -> list[str]:
    """Run commands in another private system of the same checkout, with an empty working folder."""
    namespaces = ["--mount", "--pid", "--fork", "--kill-child=TERM", "--mount-proc", "--propagation", "private"]
    system = [str(CHECKOUT / "packaging/private-system"), "run", folder, str(CHECKOUT), "/", "", "dt-other"]
    return ["sudo", "-n", "unshare", *namespaces, *system]


def named(*disks: LoopDisk) -> list[tuple[str, int]]:
    """The disks as the helper knows them."""
    return [(disk.name, disk.diskseq) for disk in disks]


@pytest.fixture
def callers() -> Iterator[list[Caller]]:
    """All callers of a test; they leave the bus at the end."""
    callers_made: list[Caller] = []
    yield callers_made
    for connected in callers_made:
        connected.leave()


@pytest.fixture
def caller(callers: list[Caller]) -> Callable[[str], Caller]:
    """Make callers as a user."""

    def make(user: str = "") -> Caller:
        callers.append(Caller(user or os.environ["DISKTUNER_TEST_USER"]))
        return callers[-1]

    return make


@pytest.fixture(scope="session")
def janitor() -> Iterator[Caller]:
    """The caller that cleans up after each test, allowed to do everything."""
    user = Caller("")
    yield user
    user.leave()


@pytest.fixture
def helper(callers: list[Caller], caller: Callable[..., Caller], janitor: Caller) -> Iterator[Caller]:
    """A caller allowed to do everything; afterwards nothing is left changed, chosen or running."""
    yield caller()
    for user in callers:
        user.leave()
    until(lambda: janitor.state()["trials"] == [])
    served(lambda: janitor.call("Revert", []))
    served(lambda: janitor.call("Forget", []))
    state = janitor.state()
    assert (state["snapshots"], state["trials"], state["persistent"], state["field_trials"]) == ([], [], [], [])


def served(ask: Callable[[], Any]) -> Any:
    """Ask the helper until polkit has answered it in time, which may be a second while the computer stands still."""
    answers: list[Any] = []

    def is_served() -> bool:
        try:
            answers.append(ask())
        except Refusal as refusal:
            if "no-answer" not in str(refusal.__cause__):
                raise
        return bool(answers)

    until(is_served)
    return answers[0]


@pytest.fixture
def disk(loop_disk: Callable[..., LoopDisk]) -> LoopDisk:
    """A loop disk without an identity."""
    return loop_disk(size_mb=64, fs=None)


@contextmanager
def known_to_udev(disk: LoopDisk, sudo: Sudo) -> Iterator[LoopDisk]:
    """Give a disk a serial number in udev's database."""
    text = f"E:ID_SERIAL=Disktuner_{disk.name}_{disk.diskseq}\nE:ID_MODEL=Test_Disk\n"
    file = f"/run/udev/data/b{(disk.queue.parent / 'dev').read_text().strip()}"
    sudo("mkdir", "-p", "/run/udev/data")
    sudo("tee", file, stdin=text)
    try:
        yield disk
    finally:
        sudo("rm", "-f", file)


@pytest.fixture
def known_disk(disk: LoopDisk, sudo: Sudo) -> Iterator[LoopDisk]:
    """A loop disk with a serial number known to udev."""
    with known_to_udev(disk, sudo):
        yield disk


def helper_pid(_: Sudo, name: str = "org.disktuner.Helper1") -> int:
    """Return the process that owns the helper's name, optionally another than before; 0 if there is none."""
    bus = "org.freedesktop.DBus"
    question = f"gdbus call --system -d {bus} -o / -m {bus}.GetConnectionUnixProcessID {name}"
    out = subprocess.run(question.split(), capture_output=True, text=True, check=False)
    return int(out.stdout.split()[1].strip(",)")) if out.returncode == 0 else 0


@contextmanager
def confining(sudo: Sudo) -> Iterator[None]:
    """Make the bus start the helper confined."""
    original = sudo("cat", PROGRAM)
    sudo("cp", "-R", CHECKOUT / "helper", PLACE)
    real = original.replace(str(CHECKOUT / "helper"), PLACE)
    assert real != original
    sudo("tee", f"{PLACE}/helper", stdin=real)
    sudo("tee", PROGRAM, stdin=f"#!/bin/sh\nexec {' '.join(CONFINE)} /usr/bin/python3 -I {PLACE}/helper\n")
    stop_helper(sudo)
    yield
    stop_helper(sudo)
    sudo("tee", PROGRAM, stdin=original)
    sudo("rm", "-rf", PLACE)
    folders = Group().folders

    def are_removed() -> bool:
        """The last process may still be ending."""
        with suppress(AssertionError):
            sudo("rmdir", *folders)
        return not any(folder.exists() for folder in folders)

    until(are_removed)


@pytest.fixture
def confined(callers: list[Caller], sudo: Sudo) -> Iterator[None]:
    """The bus starts the helper confined until the test is over."""
    with confining(sudo):
        yield
        for user in callers:
            user.leave()


def stop_helper(sudo: Sudo, signal: str = "-TERM") -> None:
    pid = helper_pid(sudo)
    if pid:
        sudo("kill", signal, str(pid))
        until(lambda: helper_pid(sudo) != pid)  # one that was killed may be there again already


# udevd in namespaces of its own: /dev holds but the given disks, and what it broadcasts stays in its network.
# The kernel tells it about all devices of the machine; there are no rules for others than the given disks.
# (Its processes are numbered as the helper's are: it obeys only callers whose number it can see.)
# Each line of input is an action and a disk to trigger. It ends with its input.
UDEVD = r"""
for folder in /usr/local/lib/udev/rules.d /usr/lib/udev/rules.d; do
    if [ -d $folder ]; then mount -t tmpfs disktuner $folder; fi
done
mkdir /run/udev/dev
mount -t tmpfs disktuner /run/udev/dev
for node in null "$@"; do
    touch /run/udev/dev/$node
    mount --bind /dev/$node /run/udev/dev/$node
done
mount --move /run/udev/dev /dev
/usr/lib/systemd/systemd-udevd </dev/null >/run/udev/log 2>&1 &
udevd=$!
trap 'kill $udevd; wait $udevd' EXIT
until udevadm control --ping --timeout=5 2>/dev/null; do kill -0 $udevd; done
echo ready
while read -r action disk; do
    timeout 60 udevadm trigger --settle --action=$action /sys/block/$disk
    echo done
done
"""


class Udevd:
    """A running udevd with two disks with serial numbers: ``disk``, and an ``other`` one."""

    def __init__(self, disk: LoopDisk, other: LoopDisk) -> None:
        self.disk, self.other = disk, other
        namespaces = ["--mount", "--net", "--fork", "--kill-child", "--propagation=private"]
        script = ["sh", "-euc", UDEVD, "udevd", disk.name, other.name]
        self._process = subprocess.Popen(
            ["sudo", "-n", "--", "unshare", *namespaces, *script],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        assert self._answer() == "ready"

    def trigger(self, action: str, disk: LoopDisk) -> None:
        """Run the rules for a disk, and wait until they have run."""
        assert self._process.stdin
        self._process.stdin.write(f"{action} {disk.name}\n")
        assert self._answer() == "done"

    def end(self) -> int:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        self._process.stdout.close()
        return self._process.wait()

    def _answer(self) -> str:
        assert self._process.stdout
        return self._process.stdout.readline().strip()


UNFINISHED = "90-disktuner-.rules:1 Unexpected EOF after line continuation"
"""What udev (systemd 257) says of a line that a test leaves unfinished on purpose."""


@pytest.fixture
def udevd(loop_disk: Callable[..., LoopDisk], sudo: Sudo) -> Iterator[Udevd]:
    """The helper and udevd share an empty rule folder and udev's database, unseen by others."""
    disks = [loop_disk(size_mb=256, fs=None) for _ in range(2)]
    names = "|".join(disk.name for disk in disks)
    identity = f'SUBSYSTEM=="block", KERNEL=="{names}", ENV{{ID_SERIAL}}="Disktuner_%k", OPTIONS+="watch"\n'
    with ExitStack() as afterwards:
        for place in ("/run/udev", str(RULES)):
            sudo("mount", "-t", "tmpfs", "-o", "mode=755", "disktuner", place)
            afterwards.callback(sudo, "umount", place)
        sudo("mkdir", "/run/udev/rules.d")
        sudo("tee", "/run/udev/rules.d/60-identity.rules", stdin=identity)
        running = Udevd(*disks)
        for disk in disks:
            running.trigger("add", disk)
        yield running
        assert running.end() == 0
        log = sudo("cat", "/run/udev/log").replace(UNFINISHED, "")
        assert ".rules" not in log and "ctrl" not in log


def reload_rules(sudo: Sudo) -> None:
    """Let udevd read its rules again; of many such orders in a row it refuses some (issue 22686 of systemd)."""

    def is_taken() -> bool:
        try:
            sudo("udevadm", "control", "--reload")
        except AssertionError:
            return False
        return True

    until(is_taken)


class RulesOfUdevd:
    """The only rules that udev has, as reported by Disktuner and as applied by a real udevd."""

    def __init__(self, sudo: Sudo, running: Udevd) -> None:
        self.sudo, self.udevd, self.disk = sudo, running, running.disk
        self._rounds = 0
        self._database = Path(f"/run/udev/data/b{(running.disk.queue.parent / 'dev').read_text().strip()}")

    def given(self, rules: str, file: str = "60-drawn.rules") -> None:
        """Let udev have these rules for the disk alone, as after a start of the computer."""
        self._rounds += 1
        rule = f'KERNEL!="{self.disk.name}", GOTO="others"\nENV{{ROUND}}="{self._rounds}"\n'
        self.sudo("tee", RULES / file, stdin=f'{rule}{rules}\nLABEL="others"\n')
        reload_rules(self.sudo)
        self.sudo("rm", "-f", self._database)
        until(self._happens_by_these)

    def _happens_by_these(self) -> bool:
        """Whether udev has these rules: a worker that was busy when they changed may still have the old ones."""
        self.happens()
        return f"E:ROUND={self._rounds}\n" in self._database.read_text()

    def reported(self) -> tuple[Writer, ...]:
        """Return what Disktuner reports about the rules, asked as an ordinary user without changing anything."""
        self.sudo("tee", self.disk.queue / "scheduler", stdin="none")
        system = System()
        writers = writers_of(system, system.disk(self.disk.name))
        assert self.disk.scheduler == "none"
        return writers

    def happens(self) -> frozenset[str]:
        """Return the disk's schedulers after it appeared and after it changed, except none."""
        values = set()
        for action in ("add", "change"):
            self.sudo("tee", self.disk.queue / "scheduler", stdin="none")
            self.udevd.trigger(action, self.disk)
            values.add(self.disk.scheduler)
        return frozenset(values - {"none"})


@contextmanager
def rules_of_udevd(sudo: Sudo, disk: LoopDisk) -> Iterator[RulesOfUdevd]:
    """A udevd for one disk, with empty rule folders."""
    with ExitStack() as afterwards:
        for place in ("/run/udev", str(RULES), "/usr/lib/udev/rules.d"):
            sudo("mount", "-t", "tmpfs", "-o", "mode=755", "disktuner", place)
            afterwards.callback(sudo, "umount", place)
        running = Udevd(disk, disk)
        yield RulesOfUdevd(sudo, running)
        assert running.end() == 0


@pytest.fixture
def asked(loop_disk: Callable[..., LoopDisk], sudo: Sudo) -> Iterator[RulesOfUdevd]:
    """A udevd for one disk, until the test is over."""
    with rules_of_udevd(sudo, loop_disk(size_mb=64, fs=None)) as rules:
        yield rules


def text_agent(pid: int, user: str = "dt-ask") -> pexpect.spawn[str]:
    """Start polkit's text agent for a user's process; return when polkit knows it."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "told"
        os.mkfifo(output)
        output.chmod(0o666)
        Path(folder).chmod(0o755)
        shell = f"exec pkttyagent --process {pid} --notify-fd 3 3>{output}"
        agent = pexpect.spawn("sudo", ["-n", "-u", user, "sh", "-c", shell], encoding="utf-8", timeout=None)
        agent.delaybeforesend = 0.02
        output.read_bytes()
    return agent


def answer_with(agent: pexpect.spawn[str], password: str, outcome: str) -> str:
    """Type a password at the prompt, and expect polkit's verdict; return the prompt."""
    agent.expect("Password: ")
    prompt = str(agent.before)
    agent.sendline(password)
    agent.expect(outcome)
    return prompt
