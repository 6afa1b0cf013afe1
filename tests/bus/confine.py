# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a command under what its unit takes from the helper, without systemd. To be started as root.

    confine.py UNIT COMMAND [ARGUMENT...]

Everything that could keep the helper from its work comes from the unit: rights, places, system calls, memory, tasks. A
setting of which it is not said here what becomes of it is an error. The unit under systemd itself: tests/machine.
"""

from __future__ import annotations

import ctypes
import os
import re
import resource
import subprocess
import sys
from collections.abc import Callable
from errno import EAFNOSUPPORT, EPERM
from pathlib import Path

import seccomp  # type: ignore[import-not-found]  # python3-seccomp of the distribution

LIBC = ctypes.CDLL(None, use_errno=True)
NEW_MOUNTS, NEW_IPC, NEW_NET = 0x00020000, 0x08000000, 0x40000000
PROT_WRITE, PROT_EXEC = 2, 4
MOUNT_ATTR_RDONLY, AT_RECURSIVE, SYS_MOUNT_SETATTR = 1, 0x8000, 442
PR_SET_SECUREBITS, PR_SET_NO_NEW_PRIVS, PR_CAPBSET_DROP, PR_CAP_AMBIENT, PR_SET_MDWE = 28, 38, 24, 47, 65
NOROOT_LOCKED, NO_SETUID_FIXUP_LOCKED = 1 << 1, 1 << 3
LAST_CAPABILITY = int(Path("/proc/sys/kernel/cap_last_cap").read_text())
GROUPS = Path("/sys/fs/cgroup")
# What is always done: no capabilities and no new ones, all read-only, no other architectures, EPERM.
ALWAYS = re.compile(
    "(CapabilityBoundingSet|AmbientCapabilities)=|NoNewPrivileges=yes|ProtectSystem=strict|ProtectKernelTunables=no|"
    "SystemCallArchitectures=native|SystemCallErrorNumber=EPERM|RuntimeDirectoryMode=0755|"
    "StateDirectoryMode=0700"
)
# How systemd starts it; and what takes from it what it never asks for (`systemd-analyze security` counts that).
UNFELT = re.compile(
    "Type|BusName|ExecStart|Restart|RestartSec|RestartForceExitStatus|RestartPreventExitStatus|RuntimeDirectoryPreserve|WatchdogSec|NotifyAccess|TimeoutAbortSec|"
    "ProtectHome|PrivateTmp|PrivateDevices|DevicePolicy|IPAddressDeny|ProtectClock|ProtectControlGroups|"
    "ProtectHostname|ProtectKernelLogs|ProtectKernelModules|KeyringMode|PrivateMounts|RemoveIPC|RestrictNamespaces|"
    "RestrictRealtime|RestrictSUIDSGID|LockPersonality|SecureBits|ProcSubset"
)


class Group:
    """The control group of a bus's confined helpers, like that of a unit; in cgroup v1, one per controller."""

    def __init__(self) -> None:
        self.unified = (GROUPS / "cgroup.controllers").exists()
        self._name = f"disktuner-confined-{Path('/run/dbus').stat().st_dev}"  # another run has another

    def folder(self, controller: str) -> Path:
        return (GROUPS if self.unified else GROUPS / controller) / self._name

    def join(self, controller: str, limit: str) -> None:
        """Put this process into the group with its limits, as root."""
        folder = self.folder(controller)
        if self.unified:
            (GROUPS / "cgroup.subtree_control").write_text(f"+{controller}")
        folder.mkdir(exist_ok=True)
        name = {"memory": "memory.max" if self.unified else "memory.limit_in_bytes", "pids": "pids.max"}[controller]
        (folder / name).write_text(limit)
        (folder / "cgroup.procs").write_text(str(os.getpid()))

    @property
    def folders(self) -> set[Path]:
        return {self.folder(controller) for controller in ("memory", "pids")}


def settings(unit: Path) -> list[tuple[str, str]]:
    """Return the [Service] settings in order; names may repeat."""
    text = unit.read_text().partition("[Service]")[2]
    lines = (line.strip() for line in text.splitlines() if line.strip() and not line.startswith(("#", "[")))
    return [(name, value) for name, _, value in (line.partition("=") for line in lines)]


def checked(result: int) -> None:
    """Return what a function of libc returned. Raises OSError."""
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def mount(*words: str) -> None:
    subprocess.run(["mount", "-n", *words], check=True)


class MountAttributes(ctypes.Structure):
    """struct mount_attr of mount_setattr(2)."""

    _fields_ = tuple((name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "userns"))


def read_only(path: str, *, on: bool, below: bool) -> None:
    """Make a mount read-only or writable, with or without the mounts below it."""
    attributes = MountAttributes(MOUNT_ATTR_RDONLY, 0) if on else MountAttributes(0, MOUNT_ATTR_RDONLY)
    where, flags = ctypes.c_char_p(path.encode()), AT_RECURSIVE if below else 0
    size = ctypes.sizeof(attributes)
    checked(LIBC.syscall(SYS_MOUNT_SETATTR, -100, where, flags, ctypes.byref(attributes), size))


class Confinement:
    """Collects what the unit wants, then applies it."""

    def __init__(self, unit: Path) -> None:
        self.writable: list[str] = []
        self.read_only: list[str] = []
        self.system_calls: set[str] = set()
        self.namespaces = NEW_MOUNTS
        self.filters: list[Callable[[seccomp.SyscallFilter], None]] = []
        self.proc = False
        for name, value in settings(unit):
            self.take(name, value)

    def take(self, name: str, value: str) -> None:
        match name, value:
            case _ if ALWAYS.fullmatch(f"{name}={value}") or UNFELT.fullmatch(name):
                pass
            case (("MemoryMax" | "TasksMax"), _):
                Group().join({"MemoryMax": "memory", "TasksMax": "pids"}[name], value)
            case "LimitNOFILE", _:
                resource.setrlimit(resource.RLIMIT_NOFILE, (int(value), int(value)))
            case "Environment", _:
                os.environ.update(word.split("=", 1) for word in value.split())
            case "UMask", _:
                os.umask(int(value, 8))
            case "RuntimeDirectory", _:
                Path(f"/run/{value}").mkdir(mode=0o755, exist_ok=True)
                self.writable.append(f"/run/{value}")
            case "StateDirectory", _:
                Path(f"/var/lib/{value}").mkdir(mode=0o700, exist_ok=True)
                self.writable.append(f"/var/lib/{value}")
            case "ReadWritePaths", _:
                self.writable += [path.removeprefix("-") for path in value.split()]
            case "ReadOnlyPaths", _:
                self.read_only += value.split()
            case "WorkingDirectory", _:
                os.chdir(value)
            case "PrivateNetwork", "yes":
                self.namespaces |= NEW_NET
            case "PrivateIPC", "yes":
                self.namespaces |= NEW_IPC
            case "ProtectProc", "invisible":
                self.proc = True
            case "RestrictAddressFamilies", "AF_UNIX":
                self.filters.append(only_unix_sockets)
            case "MemoryDenyWriteExecute", "yes":
                self.filters.append(no_writable_code)
            case "SystemCallFilter", _:
                names = calls_of(value.removeprefix("~"))
                self.system_calls = self.system_calls - names if value.startswith("~") else self.system_calls | names
            case _:
                raise SystemExit(f"confine: {name}={value} is not known; teach it what that does")

    def apply(self) -> None:
        checked(LIBC.unshare(self.namespaces))
        self.make_read_only()
        if self.proc:
            mount("-t", "proc", "-o", "hidepid=invisible,subset=pid", "p", "/proc")
        drop_capabilities()
        self.filter_calls()

    def make_read_only(self) -> None:
        """ProtectSystem=strict: everything but /dev, /proc, /sys and the named paths."""
        mount("--make-rprivate", "/")
        folders = [path for path in self.writable if Path(path).is_dir()]
        for path in folders:
            mount("--bind", path, path)
        read_only("/", on=True, below=True)
        for path in {"/dev", "/proc", "/sys", *folders}.difference(self.read_only):
            read_only(path, on=False, below=path == "/sys")

    def filter_calls(self) -> None:
        """Refuse system calls, each setting in its own filter, as systemd does."""
        for restrict in self.filters:
            restricted = seccomp.SyscallFilter(seccomp.ALLOW)
            restrict(restricted)
            restricted.load()
        allowed = seccomp.SyscallFilter(seccomp.ERRNO(EPERM))
        for name in sorted(self.system_calls):
            try:
                allowed.add_rule(seccomp.ALLOW, name)
            except (RuntimeError, OSError, ValueError):
                continue  # of other architectures
        allowed.load()


def drop_capabilities() -> None:
    checked(LIBC.prctl(PR_SET_SECUREBITS, NOROOT_LOCKED | NO_SETUID_FIXUP_LOCKED, 0, 0, 0))
    checked(LIBC.prctl(PR_CAP_AMBIENT, 4, 0, 0, 0))
    for number in range(LAST_CAPABILITY + 1):
        checked(LIBC.prctl(PR_CAPBSET_DROP, number, 0, 0, 0))
    checked(LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
    header, nothing = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    checked(LIBC.capset(header, nothing))


def calls_of(words: str) -> set[str]:
    """Return system calls by name or group, as this systemd knows them."""
    names: set[str] = set()
    for word in words.split():
        if word.startswith("@"):
            ask = ["systemd-analyze", "syscall-filter", word]
            completed = subprocess.run(ask, capture_output=True, text=True, check=True)
            plain = re.sub("\x1b\\[[0-9;]*m", "", completed.stdout)  # systemd 255 has colours for whoever reads it
            inner = [line.strip() for line in plain.splitlines()[1:] if line.strip()]
            names |= calls_of(" ".join(line for line in inner if not line.startswith("#")))
        else:
            names.add(word)
    return names


def only_unix_sockets(filters: seccomp.SyscallFilter) -> None:
    filters.add_rule(seccomp.ERRNO(EAFNOSUPPORT), "socket", seccomp.Arg(0, seccomp.NE, 1))


def no_writable_code(filters: seccomp.SyscallFilter) -> None:
    """Apply systemd's own filter, and the kernel's newer way, which later versions of systemd use."""
    permissions = PROT_WRITE | PROT_EXEC
    filters.add_rule(seccomp.ERRNO(EPERM), "mmap", seccomp.Arg(2, seccomp.MASKED_EQ, permissions, permissions))
    for name in ("mprotect", "pkey_mprotect"):
        filters.add_rule(seccomp.ERRNO(EPERM), name, seccomp.Arg(2, seccomp.MASKED_EQ, PROT_EXEC, PROT_EXEC))
    LIBC.prctl(PR_SET_MDWE, 1, 0, 0, 0)  # kernels before 6.3 have none


if __name__ == "__main__":
    Confinement(Path(sys.argv[1])).apply()
    os.execv(sys.argv[2], sys.argv[2:])
