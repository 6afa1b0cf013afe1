# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs a command under the restrictions of the helper's systemd unit, without systemd. To be started as root.

    confine.py UNIT COMMAND [ARGUMENT...]

Everything comes from the unit: a setting that is not known here, or has another value than what is done here, is an
error, so that the unit cannot say what was not tested.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Callable
from errno import EAFNOSUPPORT, ENOSYS, EPERM
from pathlib import Path

import seccomp  # type: ignore[import-not-found]  # python3-seccomp of the distribution

LIBC = ctypes.CDLL(None, use_errno=True)
NEW_MOUNTS, NEW_UTS, NEW_IPC, NEW_NET = 0x00020000, 0x04000000, 0x08000000, 0x40000000
ANY_NAMESPACE = (0x00000080, 0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000)
PROT_WRITE, PROT_EXEC, SHM_EXEC = 2, 4, 0o100000
MOUNT_ATTR_RDONLY, AT_RECURSIVE, SYS_MOUNT_SETATTR = 1, 0x8000, 442
PR_SET_SECUREBITS, PR_SET_NO_NEW_PRIVS, PR_CAPBSET_DROP, PR_CAP_AMBIENT, PR_SET_MDWE = 28, 38, 24, 47, 65
NOROOT_LOCKED, NO_SETUID_FIXUP_LOCKED = 1 << 1, 1 << 3
DEVICES = ("null", "zero", "full", "random", "urandom", "tty")


GROUPS = Path("/sys/fs/cgroup")


class Group:
    """The control group that all confined helpers share, as those of one unit do; in cgroup v1, one per controller."""

    def __init__(self) -> None:
        self.unified = (GROUPS / "cgroup.controllers").exists()

    def folder(self, controller: str) -> Path:
        return (GROUPS if self.unified else GROUPS / controller) / "disktuner-confined"

    def join(self, controller: str, limit: str) -> None:
        """Put this process into the group, and a limit on it. To be called as root."""
        folder = self.folder(controller)
        if self.unified:
            (GROUPS / "cgroup.subtree_control").write_text(f"+{controller}")
        folder.mkdir(exist_ok=True)
        name = {"memory": "memory.max" if self.unified else "memory.limit_in_bytes", "pids": "pids.max"}[controller]
        (folder / name).write_text(limit)
        (folder / "cgroup.procs").write_text(str(os.getpid()))

    @property
    def limit_bytes(self) -> int:
        return int((self.folder("memory") / ("memory.max" if self.unified else "memory.limit_in_bytes")).read_text())

    @property
    def peak_bytes(self) -> int:
        """The most that its processes had at once."""
        name = "memory.peak" if self.unified else "memory.max_usage_in_bytes"
        return int((self.folder("memory") / name).read_text())

    @property
    def folders(self) -> set[Path]:
        return {self.folder(one) for one in ("memory", "pids")}


def settings(unit: Path) -> list[tuple[str, str]]:
    """The [Service] settings in their order; names may repeat."""
    text = unit.read_text().partition("[Service]")[2]
    lines = (line.strip() for line in text.splitlines() if line.strip() and not line.startswith(("#", "[")))
    return [(name, value) for name, _, value in (line.partition("=") for line in lines)]


def checked(result: int) -> int:
    """What a function of libc returned. Raises OSError."""
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def mount(*words: str | Path) -> None:
    subprocess.run(["mount", "-n", *map(str, words)], check=True)


class MountAttributes(ctypes.Structure):
    """struct mount_attr of mount_setattr(2)."""

    _fields_ = tuple((name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "userns"))


def read_only(path: str, *, on: bool, below: bool) -> None:
    """Make a mount read-only or writable, with what is mounted below it or without."""
    attributes = MountAttributes(MOUNT_ATTR_RDONLY, 0) if on else MountAttributes(0, MOUNT_ATTR_RDONLY)
    where, flags = ctypes.c_char_p(path.encode()), AT_RECURSIVE if below else 0
    size = ctypes.sizeof(attributes)
    checked(LIBC.syscall(SYS_MOUNT_SETATTR, -100, where, flags, ctypes.byref(attributes), size))


class Confinement:
    """Collects what the unit wants, then does it."""

    def __init__(self, unit: Path) -> None:
        self.capabilities = range(int(Path("/proc/sys/kernel/cap_last_cap").read_text()) + 1)
        self.writable: list[str] = []
        self.system_calls: set[str] = set()
        self.error = EPERM
        self.namespaces = NEW_MOUNTS
        self.filters: list[Callable[[seccomp.SyscallFilter], None]] = []
        self.after_mounts: list[Callable[[], None]] = []
        for name, value in settings(unit):
            self.take(name, value)

    def take(self, name: str, value: str) -> None:
        match name, value:
            case (("Type" | "BusName" | "ExecStart" | "Restart" | "RestartSec"), _):
                pass
            case (("MemoryMax" | "TasksMax"), _):
                Group().join({"MemoryMax": "memory", "TasksMax": "pids"}[name], value)
            case (("RuntimeDirectoryMode" | "StateDirectoryMode"), "0755"):
                pass
            case "RuntimeDirectoryPreserve", "yes":
                pass
            case "Environment", _:
                os.environ.update([value.split("=", 1)])
            case "UMask", _:
                os.umask(int(value, 8))
            case "RuntimeDirectory", _:
                self.own_folder(f"/run/{value}")
            case "StateDirectory", _:
                self.own_folder(f"/var/lib/{value}")
            case "ReadWritePaths", _:
                self.writable += [path.removeprefix("-") for path in value.split()]
            case "WorkingDirectory", "/":
                self.after_mounts.append(lambda: os.chdir("/"))
            case (("CapabilityBoundingSet" | "AmbientCapabilities"), ""):
                pass  # in drop_capabilities
            case "NoNewPrivileges", "yes":
                pass  # in drop_capabilities
            case "SecureBits", "no-setuid-fixup-locked noroot-locked":
                pass  # in drop_capabilities
            case "ProtectSystem", "strict":
                pass  # in make_read_only
            case "ProtectHome", "yes":
                self.after_mounts += [hide(place) for place in ("/home", "/root", "/run/user")]
            case "PrivateTmp", "yes":
                self.after_mounts += [fresh_folder("/tmp"), fresh_folder("/var/tmp")]
            case ("PrivateDevices", "yes") | ("DevicePolicy", "closed"):
                self.after_mounts += [few_devices] if name == "PrivateDevices" else []
            case ("PrivateNetwork", "yes") | ("IPAddressDeny", "any"):
                self.namespaces |= NEW_NET
            case "PrivateIPC", "yes":
                self.namespaces |= NEW_IPC
            case (("PrivateMounts" | "RemoveIPC"), "yes"):
                pass
            case "ProtectHostname", "yes":
                self.namespaces |= NEW_UTS
                self.filters.append(refusing("sethostname", "setdomainname"))
            case "ProtectClock", "yes":
                self.filters.append(refusing("adjtimex", "clock_adjtime", "clock_settime", "settimeofday"))
            case "ProtectControlGroups", "yes":
                self.after_mounts.append(lambda: read_only("/sys/fs/cgroup", on=True, below=True))
            case "ProtectKernelLogs", "yes":
                self.filters.append(refusing("syslog"))
            case "ProtectKernelModules", "yes":
                self.filters.append(refusing("init_module", "finit_module", "delete_module"))
                self.after_mounts.append(hide("/usr/lib/modules"))
            case "ProtectKernelTunables", "no":
                pass
            case "ProtectProc", "invisible":
                self.after_mounts.append(
                    lambda: mount("-t", "proc", "-o", "hidepid=invisible,subset=pid", "p", "/proc")
                )
            case ("ProcSubset", "pid") | ("KeyringMode", "private"):
                pass  # with ProtectProc; without keys nothing can be shared
            case "RestrictAddressFamilies", "AF_UNIX":
                self.filters.append(only_unix_sockets)
            case "RestrictNamespaces", "yes":
                self.filters.append(no_namespaces)
            case "RestrictRealtime", "yes":
                self.filters.append(no_realtime)
            case "RestrictSUIDSGID", "yes":
                self.filters.append(no_suid)
            case "LockPersonality", "yes":
                self.filters.append(refusing("personality"))
            case "MemoryDenyWriteExecute", "yes":
                self.filters.append(no_writable_code)
            case "SystemCallArchitectures", "native":
                pass  # libseccomp's way when no architecture is added: others are killed
            case "SystemCallErrorNumber", "EPERM":
                pass
            case "SystemCallFilter", _:
                names = calls_of(value.removeprefix("~"))
                self.system_calls = self.system_calls - names if value.startswith("~") else self.system_calls | names
            case _:
                raise SystemExit(f"confine: {name}={value} is not known; teach it what that does")

    def own_folder(self, path: str) -> None:
        Path(path).mkdir(mode=0o755, exist_ok=True)
        self.writable.append(path)

    def apply(self) -> None:
        checked(LIBC.unshare(self.namespaces))
        self.make_read_only()
        for step in self.after_mounts:
            step()
        self.drop_capabilities()
        self.filter_calls()

    def make_read_only(self) -> None:
        """ProtectSystem=strict: all but /dev, /proc, /sys and the named paths."""
        mount("--make-rprivate", "/")
        there = [path for path in self.writable if Path(path).is_dir()]
        for path in there:
            mount("--bind", path, path)
        read_only("/", on=True, below=True)
        for path in ("/dev", "/proc", "/sys", *there):
            read_only(path, on=False, below=path == "/sys")

    def drop_capabilities(self) -> None:
        checked(LIBC.prctl(PR_SET_SECUREBITS, NOROOT_LOCKED | NO_SETUID_FIXUP_LOCKED, 0, 0, 0))
        checked(LIBC.prctl(PR_CAP_AMBIENT, 4, 0, 0, 0))
        for number in self.capabilities:
            checked(LIBC.prctl(PR_CAPBSET_DROP, number, 0, 0, 0))
        checked(LIBC.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        header, nothing = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
        checked(LIBC.capset(header, nothing))

    def filter_calls(self) -> None:
        """First what the other settings refuse of the allowed calls, each in its own filter, as systemd does."""
        for restrict in self.filters:
            restricted = seccomp.SyscallFilter(seccomp.ALLOW)
            restrict(restricted)
            restricted.load()
        allowed = seccomp.SyscallFilter(seccomp.ERRNO(self.error))
        for name in sorted(self.system_calls):
            try:
                allowed.add_rule(seccomp.ALLOW, name)
            except (RuntimeError, OSError, ValueError):
                continue  # of other architectures
        allowed.load()


def calls_of(words: str) -> set[str]:
    """System calls by name or group, as this systemd understands them."""
    names: set[str] = set()
    for word in words.split():
        if word.startswith("@"):
            shown = subprocess.run(
                ["systemd-analyze", "syscall-filter", word], capture_output=True, text=True, check=True
            )
            inner = [line.strip() for line in shown.stdout.splitlines()[1:] if line.strip()]
            names |= calls_of(" ".join(one for one in inner if not one.startswith("#")))
        else:
            names.add(word)
    return names


def refusing(*names: str) -> Callable[[seccomp.SyscallFilter], None]:
    def restrict(filters: seccomp.SyscallFilter) -> None:
        for name in names:
            filters.add_rule(seccomp.ERRNO(EPERM), name)

    return restrict


def only_unix_sockets(filters: seccomp.SyscallFilter) -> None:
    filters.add_rule(seccomp.ERRNO(EAFNOSUPPORT), "socket", seccomp.Arg(0, seccomp.NE, 1))


def no_namespaces(filters: seccomp.SyscallFilter) -> None:
    filters.add_rule(seccomp.ERRNO(EPERM), "setns")
    filters.add_rule(seccomp.ERRNO(ENOSYS), "clone3")
    for flag in ANY_NAMESPACE:
        for name in ("unshare", "clone"):
            filters.add_rule(seccomp.ERRNO(EPERM), name, seccomp.Arg(0, seccomp.MASKED_EQ, flag, flag))


def no_realtime(filters: seccomp.SyscallFilter) -> None:
    for policy in (1, 2, 6):
        filters.add_rule(seccomp.ERRNO(EPERM), "sched_setscheduler", seccomp.Arg(1, seccomp.EQ, policy))


def no_suid(filters: seccomp.SyscallFilter) -> None:
    for name, place in (("chmod", 1), ("fchmod", 1), ("fchmodat", 2), ("open", 2), ("openat", 3), ("mkdir", 1)):
        for bit in (0o4000, 0o2000):
            filters.add_rule(seccomp.ERRNO(EPERM), name, seccomp.Arg(place, seccomp.MASKED_EQ, bit, bit))


def no_writable_code(filters: seccomp.SyscallFilter) -> None:
    """systemd's own filter, and the kernel's newer way, which later versions of systemd use."""
    both = PROT_WRITE | PROT_EXEC
    filters.add_rule(seccomp.ERRNO(EPERM), "mmap", seccomp.Arg(2, seccomp.MASKED_EQ, both, both))
    for name in ("mprotect", "pkey_mprotect"):
        filters.add_rule(seccomp.ERRNO(EPERM), name, seccomp.Arg(2, seccomp.MASKED_EQ, PROT_EXEC, PROT_EXEC))
    filters.add_rule(seccomp.ERRNO(EPERM), "shmat", seccomp.Arg(2, seccomp.MASKED_EQ, SHM_EXEC, SHM_EXEC))
    LIBC.prctl(PR_SET_MDWE, 1, 0, 0, 0)  # kernels before 6.3 have none


def hide(place: str) -> Callable[[], None]:
    def mount_nothing() -> None:
        if Path(place).is_dir():
            mount("-t", "tmpfs", "-o", "mode=000,ro", "hidden", place)

    return mount_nothing


def fresh_folder(place: str) -> Callable[[], None]:
    return lambda: mount("-t", "tmpfs", "-o", "mode=1777", "fresh", place)


def few_devices() -> None:
    """A /dev with what every program needs."""
    new = Path("/tmp/dev")
    new.mkdir()
    mount("-t", "tmpfs", "-o", "mode=755,noexec,nosuid", "dev", new)
    for name in DEVICES:
        (new / name).touch()
        mount("--bind", f"/dev/{name}", new / name)
    mount("--move", new, "/dev")


def main() -> None:
    unit, command = Path(sys.argv[1]), sys.argv[2:]
    Confinement(unit).apply()
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
