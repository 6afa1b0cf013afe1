# SPDX-License-Identifier: GPL-3.0-or-later
"""A virtual machine that boots for real: its power, its disks, commands inside."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tests.machine.qmp import Agent, Ended, Gone, Monitor, Refused
from tests.waiting import until

MEMORY_MB = 1024
HANG_S = 900
"""When to give up on what never ends, also where a busy processor is emulated. It decides nothing."""
_KVM = ["-accel", "kvm", "-cpu", "host", "-smp", "2"]


@dataclass(frozen=True, slots=True)
class Device:
    """A device to plug in: ``options`` are QEMU's ``-device``; ``size_mb`` is the size of an empty disk behind it, 0
    for none.

    ``throttled`` limits its speed if it is plugged in later, in ``-drive``'s syntax.
    """

    name: str
    options: str
    size_mb: int = 0
    read_only_file: Path | None = None
    throttled: str = ""

    @property
    def has_drive(self) -> bool:
        return bool(self.size_mb or self.read_only_file)

    @property
    def id(self) -> str:
        """QEMU's name for it."""
        _, _, name = self.options.partition(",id=")
        return name.partition(",")[0] or f"device-{self.name}"


@dataclass(frozen=True)
class Emulator:
    """QEMU as unpacked by build-image, run with its own libraries."""

    folder: Path
    probe: Path

    def command(self, program: str = "qemu-system-x86_64") -> list[str]:
        """Return the command of one of QEMU's programs."""
        system = self.folder / "usr"
        firmware = ["-L", str(system / "share/qemu"), "-L", str(system / "share/seabios")]
        return [
            *(str(system / "lib64/ld-linux-x86-64.so.2"), "--library-path", str(system / "lib/x86_64-linux-gnu")),
            *(str(system / "bin" / program), *(firmware if program.startswith("qemu-system") else [])),
        ]

    @cached_property
    def kvm(self) -> bool:
        """Whether KVM boots our kernel.

        /dev/kvm alone proves little: inside some virtual machines it exists but stops at the first unusual instruction.
        """
        if not os.access("/dev/kvm", os.R_OK | os.W_OK):
            return False
        rest = ["-m", "256", "-nodefaults", "-display", "none", "-no-reboot", "-serial", "stdio"]
        kernel = ["-kernel", str(self.probe / "vmlinux"), "-append", "console=ttyS0 panic=-1"]
        command = [*self.command(), "-machine", "q35", *_KVM, *rest, *kernel]
        with suppress(subprocess.TimeoutExpired):
            return b"Kernel panic" in subprocess.run(command, capture_output=True, check=False, timeout=10).stdout
        return False

    @property
    def processor(self) -> list[str]:
        """Return KVM's options if it works; else emulation with one processor: more are no faster and less stable."""
        return _KVM if self.kvm else ["-accel", "tcg", "-cpu", "max", "-smp", "1"]


class Machine:
    """A machine with its files in ``folder``, at first switched off."""

    def __init__(
        self, folder: Path, emulator: Emulator, image: Path, devices: Sequence[Device], memory_mb: int = MEMORY_MB
    ) -> None:
        self.folder, self.emulator, self.image, self.devices = folder, emulator, image, tuple(devices)
        self._memory_mb = memory_mb
        self._process: subprocess.Popen[bytes] | None = None
        self._monitor: Monitor | None = None
        self._agent: Agent | None = None
        self._number = itertools.count()
        self._drives: dict[str, str] = {}
        folder.mkdir(parents=True, exist_ok=True)
        self._make_disk("root", backing=image / "disk.raw")

    # ---- power ----

    def start(self, snapshot: str | None = None, devices: Sequence[Device] | None = None) -> None:
        """Switch on, and wait until the system inside has started; or continue from a snapshot."""
        assert self._process is None
        devices = self.devices if devices is None else devices
        command = [*self._board(), *(part for device in devices for part in self._parts(device))]
        command += ["-loadvm", snapshot] if snapshot else []
        with (self.folder / "qemu.log").open("ab") as log:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self._monitor = until(self._monitor_there)
        self._monitor.greet()
        self._meet(wait=not snapshot)

    def cut_power(self) -> None:
        """Pull the plug: what the guest had not yet written is lost."""
        if self._process:
            self._process.kill()
            self._over()

    def discard(self) -> None:
        """Switch off and delete the disks; the console's log stays."""
        self.cut_power()
        for disk in self.folder.glob("*.qcow2"):
            disk.unlink()

    def restart(self, devices: Sequence[Device] | None = None) -> None:
        """Shut down and switch on again, optionally with other devices."""
        assert self._process
        with suppress(Gone):
            self.begin("systemctl poweroff")
        self._process.wait(HANG_S)
        self._over()
        self.start(devices=devices)

    def save(self, snapshot: str) -> None:
        """Save the running machine and its disks under a name."""
        self.monitor.human(f"savevm {snapshot}")

    # ---- inside ----

    @property
    def agent(self) -> Agent:
        assert self._agent
        return self._agent

    @property
    def monitor(self) -> Monitor:
        assert self._monitor
        return self._monitor

    def run(self, command: str, *, check: bool = True, typed: str = "") -> Ended:
        """Run a shell command as root; it must succeed unless ``check`` is off."""
        ended = self.agent.wait(self.begin(command, typed=typed), HANG_S)
        if check and ended.code:
            raise AssertionError(f"{command!r} ended with {ended.code}:\n{ended.text}")
        return ended

    def begin(self, command: str, *, typed: str = "") -> int:
        """Start a shell command and leave it running; return its process id in the guest."""
        return self.agent.begin(command, typed)

    def out(self, command: str) -> str:
        """Return the output of a shell command, stripped."""
        return self.run(command).out.strip()

    def json(self, command: str) -> Any:
        """Return the JSON that a command prints."""
        return json.loads(self.run(command).out)

    def until(self, command: str) -> str:
        """Repeat a command until it succeeds; return its output."""
        return until(lambda: self._tried(command), HANG_S).out.strip()

    def _tried(self, command: str) -> Ended | None:
        """Return how it ended, None if it failed."""
        ended = self.run(command, check=False)
        return None if ended.code else ended

    # ---- disks ----

    def plug(self, device: Device) -> None:
        """Plug a device into the running machine."""
        if device.has_drive:
            file = device.read_only_file or self._make_disk(device.name, device.size_mb)
            form = "raw,readonly=on" if device.read_only_file else f"qcow2,cache=unsafe{device.throttled}"
            self._drives[device.name] = f"{device.name}-{next(self._number)}"
            self._add_drive(f"if=none,id={self._drives[device.name]},file={file},format={form}")
        self.monitor.human(f"device_add {self._options(device)}")

    def unplug(self, device: Device) -> None:
        """Pull a device out, and wait until it is gone."""
        self.monitor.ask("device_del", id=device.id)
        until(lambda: f'id "{device.id}"' not in self.monitor.human("info qtree"))
        self._forget_drive(device)

    def unplug_stick(self, box: Device, stick: Device) -> None:
        """Pull out a USB device with a built-in disk."""
        self.unplug(box)
        self._forget_drive(stick)

    def plug_stick(self, box: Device, stick: Device) -> None:
        """Put it in again. QEMU shows such a device to the machine only once it is complete."""
        self.plug(box)
        self.plug(stick)
        self.monitor.ask("qom-set", path=f"/machine/peripheral/{box.id}", property="attached", value=True)

    def _add_drive(self, options: str) -> None:
        """Add a drive under a numbered name, as QEMU may keep a removed drive's name for long and its file for a
        moment.
        """
        until(lambda: self.monitor.human(f"drive_add 0 {options}").strip() == "OK")

    def _forget_drive(self, device: Device) -> None:
        with suppress(Refused):  # QEMU takes some drives out together with their device
            self.monitor.human(f"drive_del {self._drives.pop(device.name, device.name)}")

    # ---- parts ----

    def _board(self) -> list[str]:
        cmdline = "root=LABEL=machine ro console=ttyS0 quiet panic=-1 net.ifnames=0 systemd.show_status=0"
        # Emulated on a busy computer, the timer may be too slow for the kernel's check of it.
        cmdline += " mitigations=off no_timer_check"
        agent, monitor = self._socket("agent"), self._socket("monitor")
        for old in (agent, monitor):
            old.unlink(missing_ok=True)
        return [
            *(
                *self.emulator.command(),
                "-machine",
                "q35,usb=off",
                *self.emulator.processor,
                "-m",
                str(self._memory_mb),
            ),
            *("-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"),
            *("-kernel", str(self.image / "vmlinux"), "-initrd", str(self.image / "initrd"), "-append", cmdline),
            *("-chardev", f"file,id=console,path={self.folder}/console.log,append=on", "-serial", "chardev:console"),
            *("-qmp", f"unix:{monitor},server=on,wait=on"),
            *("-device", "virtio-serial-pci", "-chardev", f"socket,id=agent,path={agent},server=on,wait=off"),
            *("-device", "virtserialport,id=agent,chardev=agent,name=org.qemu.guest_agent.0"),
            *("-drive", f"if=none,id=root,file={self.folder}/root.qcow2,format=qcow2,cache=writeback,discard=unmap"),
            *("-device", "virtio-blk-pci,drive=root,serial=root"),
        ]

    def _parts(self, device: Device) -> Iterable[str]:
        if device.read_only_file:
            yield from ("-drive", f"if=none,id={device.name},file={device.read_only_file},format=raw,readonly=on")
        elif device.size_mb:
            file = self._make_disk(device.name, device.size_mb)
            yield from ("-drive", f"if=none,id={device.name},file={file},format=qcow2,cache=writeback")
        yield from ("-device", self._options(device))

    def _options(self, device: Device) -> str:
        drive = f",drive={self._drives.get(device.name, device.name)}" if device.has_drive else ""
        name = "" if ",id=" in device.options else f",id={device.id}"
        return f"{device.options}{drive}{name}"

    def _make_disk(self, name: str, size_mb: int = 0, backing: Path | None = None) -> Path:
        file = self.folder / f"{name}.qcow2"
        if not file.exists():
            content = ["-b", str(backing), "-F", "raw", str(file)] if backing else [str(file), f"{size_mb}M"]
            command = [*self.emulator.command("qemu-img"), "create", "-q", "-f", "qcow2", *content]
            subprocess.run(command, check=True)
        return file

    def _socket(self, name: str) -> Path:
        return self.folder / f"{name}.socket"

    def _monitor_there(self) -> Monitor | None:
        assert self._process
        assert self._process.poll() is None, f"QEMU did not start: {(self.folder / 'qemu.log').read_text()[-2000:]}"
        with suppress(FileNotFoundError, ConnectionRefusedError, Gone):
            return Monitor(self._socket("monitor"))
        return None

    def _meet(self, *, wait: bool) -> None:
        try:
            if wait:
                self.monitor.wait_for("VSERPORT_CHANGE", HANG_S, open=True)
            self._agent = Agent(self._socket("agent"))
            self._agent.ask("guest-ping", timeout_s=HANG_S)
            if wait:
                self.until("systemctl is-system-running --wait | grep -E 'running|degraded'")
        except Gone as gone:
            log = (self.folder / "console.log").read_text(errors="replace")[-3000:]
            raise AssertionError(f"{gone}; the console's end:\n{log}") from gone

    def _over(self) -> None:
        assert self._process
        self._process.wait(HANG_S)
        for conversation in (self._agent, self._monitor):
            if conversation:
                conversation.close()
        self._process = self._agent = self._monitor = None
        self._drives.clear()
