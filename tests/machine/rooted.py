# SPDX-License-Identifier: GPL-3.0-or-later
"""Computers without their own kernel: Debian's files in namespaces, where bus, polkit, udev and Disktuner run.

All programs are real, and so are the schedulers of the disks, which are private loop devices. A loop device has no
model: a rule tells each disk's name to the computer's own udevd, and each computer sees only its own disks.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import LoopDisk

ENTER = Path(__file__).with_name("enter")
_NAMESPACES = ("--mount", "--pid", "--net", "--uts", "--ipc", "--fork", "--kill-child", "--propagation=private")
_INSTALL = """
base=$1 image=$2 checkout=$3 libraries=$4
if [ -d "$image" ]; then mount --bind "$image" "$base/image"; else mount -o loop,ro,noload "$image" "$base/image"; fi
mount -t overlay overlay -o "lowerdir=$base/image,upperdir=$base/installed,workdir=$base/work" "$base/root"
cd "$base/root"
mkdir -p opt/checkout
mount --rbind "$checkout" opt/checkout
mkdir -p "$PLACE"
if [ -n "$libraries" ]; then mount --bind "$libraries" "$PLACE"; fi
mount -t proc proc proc
mount --rbind /dev dev
chroot . /opt/checkout/packaging/install install /opt/checkout
"""
_START = """
base=$1 image=$2 installed=$3 libraries=$4 name=$5
shift 5
if [ -d "$image" ]; then mount --bind "$image" "$base/image"; else mount -o loop,ro,noload "$image" "$base/image"; fi
mount -t tmpfs disktuner "$base/installed" # layers may not lie in each other, as the installed one does in a root of /
cp -a "$installed/." "$base/installed/"
mount -t overlay overlay -o "lowerdir=$base/installed:$base/image,upperdir=$base/own,workdir=$base/work" "$base/root"
cd "$base/root"
if [ -n "$libraries" ]; then mount --bind "$libraries" "$PLACE"; fi
hostname "$name"
mount -t proc proc proc
mount -t sysfs sysfs sys
for folder in sys/block sys/class/block; do mount -t tmpfs -o mode=755 disktuner $folder; done
mount -t tmpfs -o mode=755 disktuner run
for folder in usr/lib/udev/rules.d etc/udev/rules.d dev; do mount -t tmpfs -o mode=755 disktuner $folder; done
rm -rf var/lib/disktuner
mkdir -p run/dbus run/udev run/lock dev/shm
for node in null zero full random urandom tty loop-control "$@"; do
    touch dev/$node
    mount --bind /dev/$node dev/$node
done
for disk in "$@"; do
    ln -s "../devices/virtual/block/$disk" sys/block/
    ln -s "../../devices/virtual/block/$disk" sys/class/block/
done
printf 'some avg10=0.00 avg60=1.00 avg300=1.00 total=%012d\n' 0 >run/pressure
mount --bind run/pressure proc/pressure/io
cat >usr/lib/udev/rules.d/60-persistent-storage.rules
exec chroot . /bin/sh -euc "$INSIDE" inside "$@"
"""
_INSIDE = """
dbus-daemon --system --nopidfile --fork
/usr/lib/systemd/systemd-udevd --daemon
for disk in "$@"; do udevadm trigger --settle --action=add /sys/block/$disk; done
mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 "/dev/$1"
mkdir -p /srv/disk
mount "/dev/$1" /srv/disk
echo ready
exec sleep infinity
"""


_PRESSURE = """
total=0
while sleep 0.2; do
    if grep -q "\\[$1\\]" "/sys/block/$2/queue/scheduler"; then total=$((total + 200000)); fi
    printf 'some avg10=0.00 avg60=1.00 avg300=1.00 total=%012d\n' $total 1<>/run/pressure
done >/dev/null 2>&1 </dev/null &
"""
_READERS = """
for reader in 1 2 3 4; do
    while true; do
        if grep -q "\\[$1\\]" "/sys/block/$2/queue/scheduler"; then
            dd if="/dev/$2" of=/dev/null bs=16M count=64 iflag=direct
        else
            sleep 0.1
        fi
    done >/dev/null 2>&1 </dev/null &
done
"""
_ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "INSIDE": _INSIDE,
                "PLACE": "usr/local/lib/python3.11/dist-packages"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Release:
    """A Debian with Disktuner installed: its image or root folder, and the folder with what the installation added.

    ``libraries`` are the app's if Debian's are too old, None if they are packaged.
    """

    image: Path
    installed: Path
    libraries: Path | None


def install(base: Path, image: Path, checkout: Path, libraries: Path | None) -> Release:
    """Install Disktuner as ``./dev install`` does."""
    for name in ("image", "installed", "work", "root"):
        (base / name).mkdir(parents=True)
    words = [*_NAMESPACES, "sh", "-euc", _INSTALL, "install", base, image, checkout, libraries or ""]
    subprocess.run(["unshare", *map(str, words)], check=True, timeout=300, env=_ENVIRONMENT)
    return Release(image, base / "installed", libraries)


class Rooted:
    """One such computer; ``pid`` is its first process. ``disks`` are by model; the first has a file system, /srv/disk.

    The test sets for how long programs wait according to the kernel, at first never.
    """

    def __init__(self, base: Path, name: str, release: Release, disks: Mapping[str, LoopDisk]) -> None:
        self.name = name
        self.disks = dict(disks)
        for folder in ("image", "installed", "own", "work", "root"):
            (base / folder).mkdir(parents=True)
        names = (disk.name for disk in disks.values())
        words = [base, release.image, release.installed, release.libraries or "", name, *names]
        self._process = subprocess.Popen(
            ["unshare", *_NAMESPACES, "sh", "-euc", _START, "start", *map(str, words)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=_ENVIRONMENT,
        )
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write("".join(self._identity(*disk) for disk in disks.items()))
        self._process.stdin.close()
        assert self._process.stdout.readline() == "ready\n", name
        self.pid = int(Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text())

    def run(self, command: str, stdin: str = "") -> str:
        """Return the output of a shell command in there, which must succeed."""
        words = [str(ENTER), str(self.pid), command]
        completed = subprocess.run(words, input=stdin, capture_output=True, text=True, check=False, timeout=120)
        assert completed.returncode == 0, f"{command}: {completed.stdout}{completed.stderr}"
        return completed.stdout

    def wait_with(self, scheduler: str, disk: LoopDisk, *, truly: bool = True) -> None:
        """From now on the kernel counts waiting while the disk has the scheduler; programs really wait, or not."""
        self.run(f"set -- {scheduler} {disk.name}; {_PRESSURE}{_READERS if truly else ''}")

    def end(self) -> None:
        """End all its processes, and with them its mounts."""
        self._process.kill()
        assert self._process.stdout
        self._process.stdout.close()
        self._process.wait(20)

    def _identity(self, model: str, disk: LoopDisk) -> str:
        known = {"ID_MODEL": model.replace(" ", "_"), "ID_MODEL_ENC": model.replace(" ", "\\x20"),
                 "ID_SERIAL": f"{model.replace(' ', '_')}_{self.name}", "ID_SERIAL_SHORT": self.name}  # fmt: skip
        properties = ", ".join(f'ENV{{{key}}}="{value}"' for key, value in known.items())
        return f'SUBSYSTEM=="block", KERNEL=="{disk.name}", {properties}\n'
