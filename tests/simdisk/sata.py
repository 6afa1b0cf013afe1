# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows a simulated disk as a SATA hard disk whose ``device/queue_depth`` works like the kernel's.

Block layer and schedulers are the loop device's own. What makes it a SATA disk is laid over /sys/block, /sys/dev/block
and /sys/class, in the mount namespace of the tests alone; ``queue_depth`` is a file of the disk's server.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.conftest import LoopDisk, Sudo
from tests.simdisk.simulated import simulated_disk

NAME, PORT = "sdsim", 99
DEPTH = 32
_HANGS_AT = f"ata{PORT}/host{PORT}/target{PORT}:0:0/{PORT}:0:0:0"
_IDENTIFY = {75: DEPTH - 1, 76: 0x010E}
"""Words of IDENTIFY DEVICE (ACS-4): the depth less one; native command queuing, 6.0 Gbit/s."""
DEPTHS: Mapping[str, int | None] = {
    "0": None, "-1": None, "33": None, "x": None, "": None, "32": 32, "31": 31, "1": 1, "0x20": 32, "4 x": 4,
}  # fmt: skip
"""What the kernel's ``device/queue_depth`` of a SATA disk takes, and what it then is; None: it is refused (EINVAL)."""
_LAID_OVER = ("block", "dev/block", "class")
_DISK = Path("devices") / _HANGS_AT / "block" / NAME


@contextmanager
def sata_disk(sudo: Sudo, folder: Path, size_mb: int, *settings: str) -> Iterator[LoopDisk]:
    """Yield a mounted hard disk with these settings of the server, under another name than its loop device's.

    There can be only one in a mount namespace.
    """
    queue = folder / "queue"
    settings = (*settings, f"queue={queue}", "forgets=yes")
    with simulated_disk(sudo, folder, size_mb, "hdd", *settings, depth=str(DEPTH)) as loop:
        queue.symlink_to(loop.queue)
        with _shown(sudo, folder, loop):
            yield LoopDisk(NAME, loop.device, loop.folder)


@contextmanager
def _shown(sudo: Sudo, folder: Path, loop: LoopDisk) -> Iterator[None]:
    tree, real = folder / "sys", loop.queue.parent
    files = _make(tree, real, folder / "served")
    sudo("chown", "root:root", *files)  # as the kernel's are; their folders stay the test's, to be removed
    with ExitStack() as stack:
        _lay(stack, sudo, f"{tree / 'own'}:{real}", tree / _DISK)
        for name in _LAID_OVER:
            _lay(stack, sudo, f"{tree / name}:/sys/{name}", Path("/sys") / name)
        yield


def _lay(stack: ExitStack, sudo: Sudo, folders: str, place: Path) -> None:
    """Overlay folders read-only, the first on top."""
    sudo("mount", "-t", "overlay", "overlay", "-o", f"lowerdir={folders}", place)
    stack.callback(sudo, "umount", place)


def _make(tree: Path, real: Path, served: Path) -> Sequence[Path]:
    """Make what is laid over /sys, and return the files that a SCSI disk has in addition to a loop device."""
    (tree / _DISK).mkdir(parents=True)
    for link in (tree / "block" / NAME, tree / "dev/block" / (real / "dev").read_text().strip()):
        link.parent.mkdir(parents=True)
        link.symlink_to(tree / _DISK)
    device = tree / "own/device"
    device.mkdir(parents=True)
    for name in ("queue", "bdi"):  # what is written, and what points elsewhere
        (tree / "own" / name).symlink_to(real / name)
    (device / "queue_depth").symlink_to(served / "queue_depth")
    words = (f"{_IDENTIFY.get(number, 0):04x}" for number in range(256))
    port = {f"ata_device/dev{PORT}.0/id": " ".join(words), f"scsi_host/host{PORT}/proc_name": "ahci"}
    files = {device / name: text for name, text in {"vendor": "ATA", "model": "SIMULATED", "type": "0"}.items()}
    files |= {tree / "class" / name: text for name, text in port.items()}
    for file, text in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{text}\n")
    return tuple(files)
