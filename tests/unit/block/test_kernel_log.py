# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines of the kernel's log are attributed to the disk they name and no other, if the log may be read."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import pytest
from tests.unit.block.trees import Tree, sata, usb

from disktuner.block.kernel_log import read_kernel_log
from disktuner.block.sysfs import Tree as Files
from disktuner.block.system import System

CARD = "platform/emmc2bus/fe340000.mmc/mmc_host/mmc0/mmc0:0001"
NVME = "pci0000:00/0000:00:1d.0/0000:03:00.0/nvme/nvme0"
SAYS = {
    "sda": ("I/O error, dev sda, sector 12345 op 0x0:(READ)", "critical medium error, dev sda, sector 8",
            "ata1.00: exception Emask 0x0 SAct 0x1 SErr 0x0 action 0x6 frozen", "ata1: hard resetting link",
            "sd 1:0:0:0: [sda] tag#3 FAILED Result: hostbyte=DID_OK driverbyte=DRIVER_OK"),
    "sdb": ("usb 2-1: reset SuperSpeed USB device number 3", "scsi host6: uas_eh_device_reset_handler start",
            "sd 6:0:0:0: [sdb] tag#5 uas_eh_abort_handler 0 uas-tag 6 inflight: CMD"),
    "mmcblk0": ("mmc0: running CQE recovery", "mmc0: error -110 whilst initialising SD card",
                "I/O error, dev mmcblk0, sector 8"),
    "cciss!c0d0": ("I/O error, dev cciss/c0d0, sector 8", "[cciss/c0d0] tag#3 FAILED Result: hostbyte=DID_OK"),
    "nvme0n1": ("nvme nvme0: I/O 12 QID 4 timeout, aborting", "nvme nvme0: 8/0/0 resetting controller"),
}  # fmt: skip
OTHERS = (
    "ata11: hard resetting link", "I/O error, dev sdab, sector 1", "nvme nvme01: I/O 1 timeout", "mmc10: error -110",
    "sd 1:0:0:0: [sda] Attached SCSI disk", "usb 2-12: reset high-speed USB device", "EXT4-fs (sda1): mounted",
    "scsi host66: uas_eh_device_reset_handler start", "sda: sda1 sda2",
)  # fmt: skip


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    tree = Tree(tmp_path)
    tree.disk("sda", "8:0", sata(1))
    tree.disk("sdb", "8:16", usb(6))
    tree.disk("cciss!c0d0", "104:0", "pci0000:00/0000:00:05.0/cciss0/c0d0")
    tree.disk("mmcblk0", "179:0", CARD)
    tree.disk("nvme0n1", "259:0", NVME)
    return tree


def say(tree: Tree, lines: Iterable[str], first: int = 0) -> None:
    """Put these records into the kernel's log."""
    tree.write("dev/kmsg", "\n".join(f"4,{number},1,-;{line}" for number, line in enumerate(lines, first)))


@pytest.mark.parametrize("disk", SAYS)
def test_each_disk_has_its_own_troubles(tree: Tree, disk: str) -> None:
    system = System(tree.root)
    say(tree, OTHERS)
    assert system.last_troubles([disk]) == {disk: 0}
    for line in SAYS[disk]:
        say(tree, (*OTHERS, line, *OTHERS))
        assert system.last_troubles([disk]) == {disk: len(OTHERS) + 1}, line
    say(tree, (line for lines in SAYS.values() for line in lines))
    assert len({*system.last_troubles(SAYS).values()}) == len(SAYS)


def test_a_new_trouble_is_told_from_those_before_though_a_full_log_loses_one_for_it(tree: Tree) -> None:
    system, line = System(tree.root), SAYS["sda"][0]
    say(tree, [line] * 5, first=100)
    before = system.last_troubles(["sda"])["sda"]
    say(tree, [line] * 5, first=101)
    assert system.last_troubles(["sda"])["sda"] > before > 0


def test_records_that_are_dropped_while_the_log_is_read_hide_none_that_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = iter([b"4,0,1,-;first\n", BrokenPipeError(), b"4,9,1,-;last\n", BlockingIOError()])

    def read(_fd: int, _size: int) -> bytes:
        answer = next(answers)
        if isinstance(answer, OSError):
            raise answer
        return answer

    (tmp_path / "dev").mkdir()
    (tmp_path / "dev/kmsg").touch()
    monkeypatch.setattr("disktuner.block.sysfs.os.read", read)
    assert read_kernel_log(Files(tmp_path)).splitlines() == ["4,0,1,-;first", "4,9,1,-;last"]


def test_where_it_may_not_be_read_somebody_is_asked_or_nothing_is_known(tree: Tree) -> None:
    files = Files(tree.root)
    commands: list[str] = []
    assert read_kernel_log(files) == ""
    assert read_kernel_log(files, lambda *command, **_: commands.append(command[0]) or "said") == "said"
    assert commands == ["journalctl"] and System(tree.root).last_troubles(["sda"]) == {"sda": 0}


def test_a_device_that_gives_one_record_after_the_other_is_read_to_its_end(tmp_path: Path) -> None:
    """Like /dev/kmsg, which has no end but reports that there is nothing more for now."""
    (tmp_path / "dev").mkdir()
    os.mkfifo(tmp_path / "dev/kmsg")
    writer = os.open(tmp_path / "dev/kmsg", os.O_RDWR)
    try:
        for number in range(3):
            os.write(writer, f"4,{number},1,-;said\n".encode())
        assert read_kernel_log(Files(tmp_path)).count("said") == 3
    finally:
        os.close(writer)
