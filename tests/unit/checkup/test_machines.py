# SPDX-License-Identifier: GPL-3.0-or-later
"""A healthy machine gets no finding, a faulty one exactly its own, with what set it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.unit.block import recorded
from tests.unit.block.test_writers import OWN_FILE, OWN_RULE, WWN, own_rule
from tests.unit.block.trees import NONE, Tree
from tests.unit.checkup.machines import (
    HEALTHY,
    NEW,
    OLD,
    STICK,
    card,
    hard_disk,
    nvme,
    partition,
    port,
    queue,
    rotating_nvme,
    sas_server,
    solid_disk,
    stick,
    two_actuators,
    usb_disk,
    virtio,
)

from disktuner.block.system import System
from disktuner.checkup.findings import Finding, by_hand, check_up, finding_to_json
from disktuner.checkup.health import Health
from disktuner.vocabulary.checks import CHECKS, Severity
from disktuner.vocabulary.messages import Message, message, say


def findings(root: Path, health: Health | None = None) -> list[tuple[str, Finding]]:
    system = System(root)
    disks = system.disks()
    known = None if health is None else {disk.name: health for disk in disks}
    return [(result.disk.name, finding) for result in check_up(system, disks, known) for finding in result.findings]


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_machine(name: str, tmp_path: Path) -> None:
    HEALTHY[name](Tree(tmp_path))
    assert check_up(System(tmp_path), System(tmp_path).disks()), "something was looked at"
    assert findings(tmp_path) == []


@pytest.mark.parametrize("name", [folder.name for folder in sorted(recorded.FOLDER.iterdir()) if folder.is_dir()])
def test_a_recorded_machine(name: str, tmp_path: Path) -> None:
    assert findings(recorded.unpacked(name, tmp_path)) == []


@dataclass(frozen=True, slots=True)
class Sick:
    """A fault, what set it (None: anything; or a message), its value, and the setting to measure against."""

    check: str
    build: Callable[[Tree], None]
    by: Message
    value: int | str
    fix: str | None = None
    kernel: str = OLD
    command_line: str = "quiet"
    disk: str = "sda"
    health: Health | None = None


def by_kernel(version: str) -> Message:
    return message("set-by-kernel", version=version)


def by_line(place: str, who: str) -> Message:
    """Lines of a recorded machine are mentioned, not judged."""
    return message("set-by-line" if who == "fstab" else "set-by-line-perhaps", place=place, who=who)


HAND, DISK, LINK = message("set-by-hand"), message("set-by-disk"), message("set-by-link")
RULE = "etc/udev/rules.d/60-local.rules"
BY_RULE = by_line(f"/{RULE}:2", "udev")


def rule(tree: Tree, attribute: str, value: object) -> None:
    tree.write(RULE, f'# local\nKERNEL=="sd*|vd*", ATTR{{queue/{attribute}}}="{value}"')


def rotational(tree: Tree) -> None:
    virtio(tree, 1, max_sectors_kb=4096, read_ahead_kb=8192)


def off_by_tmpfiles(tree: Tree) -> None:
    hard_disk(tree, files=queue(read_ahead_kb=0))
    tree.write("etc/tmpfiles.d/disk.conf", "w /sys/block/sda/queue/read_ahead_kb - - - - 0")


def not_told(tree: Tree) -> None:
    hard_disk(tree, files=queue(rotational=0))  # the kernel has chosen its throttling before the rule
    rule(tree, "rotational", 0)


def many(tree: Tree) -> None:
    hard_disk(tree, files=queue(nr_requests=4096))
    tree.write("etc/sysfs.conf", "block/sda/queue/nr_requests = 4096")


def throttling_off(tree: Tree) -> None:
    hard_disk(tree, files=queue(wbt_lat_usec=0))
    tree.write("etc/rc.local", "#!/bin/sh\necho 0 > /sys/block/sda/queue/wbt_lat_usec")


def cache_off(tree: Tree) -> None:
    hard_disk(tree, files={**queue(write_cache="write through"), "device/scsi_disk/1:0:0:0/cache_type":
                           "write through"})  # fmt: skip
    tree.write("run/udev/data/b8:0", "E:ID_ATA_ROTATION_RATE_RPM=5425\nE:ID_ATA_WRITE_CACHE=1\n"
               "E:ID_ATA_WRITE_CACHE_ENABLED=0")  # fmt: skip
    tree.write("etc/hdparm.conf", "quiet\n/dev/sdb {\n\twrite_cache = off\n}\n/dev/sda {\n\twrite_cache = off\n}")


def cache_claimed(tree: Tree) -> None:
    usb_disk(tree, "5000", " 3.00", files={**queue(write_cache="write back"),
                                           "device/scsi_disk/6:0:0:0/cache_type": "write through"})  # fmt: skip


def set_back(tree: Tree) -> None:
    """A rule sorted after ours reverts the persistent choice."""
    hard_disk(tree)
    udev = (tree.root / "run/udev/data/b8:0").read_text()
    tree.write("run/udev/data/b8:0", f"{udev}E:ID_WWN={WWN}")
    tree.write(OWN_FILE, OWN_RULE)
    tree.write("etc/udev/rules.d/99-fast.rules", 'KERNEL=="sd*", ATTR{queue/scheduler}="mq-deadline"')


def no_scheduler(tree: Tree) -> None:
    hard_disk(tree, NONE)
    tree.write("etc/tlp.conf", 'DISK_DEVICES="sda"\nDISK_IOSCHED="none"')
    tree.write("etc/systemd/system/multi-user.target.wants/tlp.service", "")


def rotating_nvme_without(tree: Tree) -> None:
    rotating_nvme(tree)
    tree.write("sys/block/nvme0n1/queue/scheduler", NONE)


def slow_for_two(tree: Tree) -> None:
    """One actuator fills half of 6 Gb/s; two exceed 3 Gb/s."""
    two_actuators(tree)
    port(tree, "3.0 Gbps")


def weighted(tree: Tree) -> None:
    """Set with systemctl set-property; the default weight is nobody's choice."""
    solid_disk(tree)
    tree.write("etc/systemd/system.control/db.service.d/50-IOWeight.conf", "# systemctl\n[Service]\nIOWeight=500")
    tree.write("etc/systemd/system/other.service", "[Service]\nIOWeight=100")


def weighted_by_hand(tree: Tree) -> None:
    hard_disk(tree, "none [mq-deadline] kyber")
    tree.write("etc/systemd/system/backup.service", "[Service]\nExecStart=/bin/true\nStartupIOWeight = 10")


DEPTH_RULE = "etc/udev/rules.d/99-ncq.rules"
LIMITED_NCQ = "mq-deadline:device/queue_depth=32"


def depth_by_rule(tree: Tree) -> None:
    hard_disk(tree, files=DEPTH_1)
    tree.write(DEPTH_RULE, 'KERNEL=="sd[a-z]", ATTR{queue/rotational}=="1", ATTR{device/queue_depth}="1"')


def depth_by_rule_of_the_device(tree: Tree) -> None:
    hard_disk(tree, files=DEPTH_1)
    tree.write(DEPTH_RULE, '# starves\nSUBSYSTEM=="scsi", ATTR{vendor}=="ATA", ATTR{queue_depth}="1"')


def depth_by_unit(tree: Tree) -> None:
    """On a SAS disk four is little too."""
    sas_server(tree)
    tree.write("sys/block/sda/device/queue_depth", "4")
    tree.write(
        "etc/systemd/system/ncq.service", "[Service]\nExecStart=sh -c 'echo 4 >/sys/block/sda/device/queue_depth'"
    )


CARD = "mmcblk0"
SSR = "0" * 44 + "02" + "0" * 82  # the application performance class A2
LOG = "6,1,1,-;mmc0: new card\n4,2,2,-;mmc0: running CQE recovery\n4,3,3,-;mmc0: running CQE recovery\n"


def stuck(tree: Tree) -> None:
    card(tree, {"device/type": "SD", "mq/0/nr_tags": "31"})
    tree.write("dev/kmsg", LOG + "4,4,4,-;mmc1: running CQE recovery\n")


def stuck_emmc(tree: Tree) -> None:
    card(tree)
    tree.write("dev/kmsg", "4,2,2,-;mmc0: running CQE recovery")


def reset(tree: Tree) -> None:
    usb_disk(tree, "5000", " 3.20")
    lines = [f"4,1,1,-;scsi {text}" for text in ("host6: uas_eh_device_reset_handler start",
             "host7: uas_eh_device_reset_handler start", "host6: uas_eh_device_reset_handler success")]  # fmt: skip
    tree.write("dev/kmsg", "\n".join(lines))


def reset_hard_disk(tree: Tree) -> None:
    page = bytes([0, 0xB1, 0, 0x3C, 0x15, 0x18]) + bytes(58)
    usb_disk(tree, "5000", " 3.20", files={
        "device/vpd_pgb1": page, "device/model": "Elements", **queue(rotational=1, wbt_lat_usec=75_000)})  # fmt: skip
    tree.write("dev/kmsg", "4,1,1,-;scsi host6: uas_eh_device_reset_handler start\n" * 3)


def in_array(tree: Tree, holder: str = "sda/sda1/holders/md0", timeout: str = "30") -> None:
    hard_disk(tree, files={"device/timeout": timeout})
    tree.write(f"sys/block/{holder}/dev", "9:0")


def in_pool(tree: Tree) -> None:
    in_array(tree, "sda/sda1/holders/dm-0", "60")
    tree.mount("8:1", "/tank", "zfs", "/dev/sda1")


def misaligned(tree: Tree) -> None:
    hard_disk(tree)
    partition(tree, "sda", 3584, name="sda2")


def unordered(tree: Tree) -> None:
    hard_disk(tree, "[none] mq-deadline", queue(zoned="host-managed"))
    rule(tree, "scheduler", "none")


def discard(tree: Tree) -> None:
    solid_disk(tree)
    tree.mount("8:1", "/srv", "ext4", "/dev/sda1", "rw,discard")
    tree.write("etc/fstab", "# disks\nUUID=1 / ext4 defaults 0 1\nUUID=2 /srv ext4 discard,noatime 0 2")


def cable(tree: Tree) -> None:
    solid_disk(tree)
    port(tree, "1.5 Gbps", "1.5 Gbps")


def usb_2(tree: Tree) -> None:
    usb_disk(tree, "480", " 2.10")
    tree.write(f"{STICK}/bos_descriptors", bytes([5, 0x0F, 22, 0, 2, 7, 0x10, 2, 2, 0, 0, 0, 10, 0x10, 3]) + bytes(7))


def unwritten_by_sysctl(tree: Tree) -> None:
    stick(tree, 1_000_000_000, limits=False)
    tree.write("usr/lib/sysctl.d/10-dirty.conf", "vm.dirty_bytes = 1000000000")
    tree.write("etc/sysctl.d/50-dirty.conf", "# much\n-vm/dirty_bytes=1000000000\nvm.dirty_ratio = 20")


def unwritten_by_tuned(tree: Tree) -> None:
    stick(tree, 1_000_000_000)
    tree.write("etc/sysctl.conf", "vm.dirty_bytes = 500")
    tree.write("etc/tuned/active_profile", "mine")
    tree.write("etc/tuned/mine/tuned.conf", "[sysctl]\nvm.dirty_bytes=1000000000")


LIMITED = "mq-deadline:bdi/max_bytes=16777216,bdi/strict_limit=1"
OPTIMAL = queue(optimal_io_size=33_553_920, read_ahead_kb=65_532)
DEPTH_1 = {"device/queue_depth": "1", **queue(nr_requests=64)}
READ_AHEAD = "mq-deadline:queue/read_ahead_kb"
SICK = {
    "optimal": Sick("read-ahead-huge", lambda tree: usb_disk(tree, "5000", " 3.00", files=OPTIMAL), by_kernel("6.12"),
                    65_532, f"{READ_AHEAD}=128"),
    "rotational": Sick("read-ahead-huge", rotational, by_kernel("6.18"), 8192, f"{READ_AHEAD}=128", NEW, disk="vda"),
    "off-by-tmpfiles": Sick("read-ahead-off", off_by_tmpfiles, by_line("/etc/tmpfiles.d/disk.conf:1", "tmpfiles.d"),
                            0, f"{READ_AHEAD}=128"),
    "said-to-rotate": Sick("flash-said-to-rotate", lambda tree: solid_disk(tree, rotational=1), DISK, 1),
    "not-told": Sick("rotation-not-told", not_told, BY_RULE, 0),
    "few": Sick("few-requests", lambda tree: solid_disk(tree, files=queue(nr_requests=4)), HAND, 4,
                "mq-deadline:queue/nr_requests=64"),
    "many": Sick("many-requests", many, by_line("/etc/sysfs.conf:1", "sysfs.conf"), 4096,
                 "mq-deadline:queue/nr_requests=64"),
    "no-queue": Sick("no-command-queue", lambda tree: solid_disk(tree, files=DEPTH_1),
                     message("set-by-command-line", option="libata.force=1:noncq"), 1,
                     command_line="quiet libata.force=1:noncq"),
    "no-queue-by-hand": Sick("no-command-queue", lambda tree: hard_disk(tree, files=DEPTH_1), message("set-by-quirk"),
                             1, LIMITED_NCQ),
    "depth-by-rule": Sick("command-queue-limited", depth_by_rule, by_line(f"/{DEPTH_RULE}:1", "udev"), 1, LIMITED_NCQ),
    "depth-by-rule-of-the-device": Sick("command-queue-limited", depth_by_rule_of_the_device,
                                        by_line(f"/{DEPTH_RULE}:2", "udev"), 1, LIMITED_NCQ),
    "depth-by-unit": Sick("command-queue-limited", depth_by_unit,
                          by_line("/etc/systemd/system/ncq.service:2", "systemd"), 4, LIMITED_NCQ),
    "without-uas": Sick("uas-off", lambda tree: usb_disk(tree, "5000", " 3.20", "usb-storage"),
                        message("set-by-command-line", option="usb-storage.quirks=174c:55aa:u,04e8:4001:u"),
                        "usb-storage", command_line="usb-storage.quirks=174c:55aa:u,04e8:4001:u"),
    "throttling-off": Sick("throttling-off", throttling_off, by_line("/etc/rc.local:2", "rc.local"), 0,
                           "mq-deadline:queue/wbt_lat_usec=75000"),
    "throttling-odd": Sick("throttling-odd", lambda tree: solid_disk(tree, files=queue(wbt_lat_usec=75_000)), HAND,
                           75_000, "mq-deadline:queue/wbt_lat_usec=2000"),
    "merges": Sick("merges-off", lambda tree: hard_disk(tree, files=queue(nomerges=2)), HAND, 2,
                   "mq-deadline:queue/nomerges=0"),
    "cache-off": Sick("write-cache-off", cache_off, by_line("/etc/hdparm.conf:6", "hdparm"), "write through"),
    "cache-denied": Sick("write-cache-denied", lambda tree: hard_disk(tree, files=queue(write_cache="write through")),
                         HAND, "write through"),
    "cache-claimed": Sick("write-cache-claimed", cache_claimed, HAND, "write back"),
    "set-back": Sick("set-back", set_back, by_line("/etc/udev/rules.d/99-fast.rules:1", "udev"), "mq-deadline"),
    "unwritten": Sick("much-unwritten", stick, by_kernel("6.12"), 4_000_000_000, LIMITED),
    "unwritten-by-sysctl": Sick("much-unwritten", unwritten_by_sysctl,
                                message("set-by-line", place="/etc/sysctl.d/50-dirty.conf:2", who="sysctl"),
                                1_000_000_000, kernel="5.15.0-91-generic"),
    "unwritten-by-tuned": Sick("much-unwritten", unwritten_by_tuned,
                               message("set-by-line", place="/etc/tuned/mine/tuned.conf:2", who="tuned"),
                               1_000_000_000, LIMITED),
    "unwritten-by-hand": Sick("much-unwritten", lambda tree: stick(tree, 1_000_000_000), HAND, 1_000_000_000, LIMITED),
    "no-scheduler": Sick("no-scheduler", no_scheduler, by_line("/etc/tlp.conf:2", "tlp"), "none", "mq-deadline"),
    "no-scheduler-on-nvme": Sick("no-scheduler", rotating_nvme_without, by_kernel("6.18"), "none", "mq-deadline", NEW,
                                 disk="nvme0n1"),
    "cable-of-two": Sick("sata-link-slow", slow_for_two, LINK, "3 Gb/s"),
    "weight": Sick("weight-ignored", weighted,
                   message("set-by-line", place="/etc/systemd/system.control/db.service.d/50-IOWeight.conf:3",
                           who="systemd"), 500, "bfq"),
    "weight-without-bfq": Sick("weight-ignored", weighted_by_hand,
                               message("set-by-line", place="/etc/systemd/system/backup.service:3", who="systemd"), 10),
    "misaligned": Sick("partition-misaligned", misaligned, message("set-by-partitioning"), 3584),
    "unordered": Sick("zoned-unordered", unordered, BY_RULE, "none", "mq-deadline", "6.1.0-18-amd64"),
    "discard": Sick("discard-at-once", discard, by_line("/etc/fstab:3", "fstab"), "discard"),
    "slot": Sick("pcie-link-slow", lambda tree: nvme(tree, now="8.0 GT/s PCIe", lanes=2), LINK, "8 GT/s x2",
                 disk="nvme0n1"),
    "cable": Sick("sata-link-slow", cable, message("set-by-lowering", speed=1.5), "1.5 Gb/s"),
    "usb-2": Sick("usb-link-slow", usb_2, LINK, "480 Mb/s"),
    "worn": Sick("worn-out", lambda tree: card(tree, files={"device/life_time": "0x03 0x0a"}), message("set-by-wear"),
                 "1", disk="mmcblk0"),
    "stuck": Sick("card-queue-stuck", stuck, DISK, 2, disk=CARD),
    "stuck-emmc": Sick("card-queue-stuck", stuck_emmc, DISK, 1, disk=CARD),
    "a2": Sick("card-queue-unused", lambda tree: card(tree, {"device/type": "SD", "device/ssr": SSR}),
               by_kernel("6.12"), "A2", disk=CARD),
    "a2-of-today": Sick("card-queue-unused", lambda tree: card(tree, {"device/type": "SD", "device/ssr": SSR}),
                        by_kernel("6.18"), "A2", kernel=NEW, disk=CARD),
    "reset": Sick("uas-resets", reset, DISK, 1),
    "reset-hard-disk": Sick("uas-resets", reset_hard_disk, DISK, 3),
    "array": Sick("retries-outlast-timeout", in_array, by_kernel("6.12"), 30),
    "pool": Sick("retries-outlast-timeout", in_pool, HAND, 60),
    "bad-sectors": Sick("media-errors", hard_disk, DISK, 8, health=Health(8)),
    "failing": Sick("disk-failing", nvme, DISK, "spare, readonly", disk="nvme0n1",
                    health=Health(0, ("spare", "readonly"))),
}  # fmt: skip


ONLY_TOLD = {
    "card-queue-unused",
    "command-queue-limited",
    "pcie-link-slow",
    "sata-link-slow",
    "usb-link-slow",
    "media-errors",
    "disk-failing",
    "worn-out",
}
"""What to do about these stands in what they cost."""


@pytest.mark.parametrize("name", SICK)
def test_a_sick_machine(name: str, tmp_path: Path) -> None:
    sick = SICK[name]
    tree = Tree(tmp_path)
    tree.kernel(sick.kernel, sick.command_line)
    sick.build(tree)
    described = [(disk, finding.check.id, finding.value, finding.set_by, finding.fix and finding.fix.name)
                 for disk, finding in findings(tmp_path, sick.health)]  # fmt: skip
    assert described == [(sick.disk, sick.check, sick.value, sick.by, sick.fix)]
    ((_, finding),) = findings(tmp_path, sick.health)
    form = finding_to_json(finding)
    assert not any("{" in str(form[key]) for key in ("what", "kernel", "set_by", "why", "costs"))
    assert form["severity"] == CHECKS[sick.check].severity and form["source"]
    measured = finding.fix is not None and finding.check.severity is not Severity.BAD
    assert not measured or finding.check.shown
    assert finding.by_hand or finding.remedy or sick.check in ONLY_TOLD
    assert bool(finding.before_and_after) == (bool(finding.check.seen_by) and finding.fix is None)


SHOWN_OTHERWISE = {"set-back", "media-errors", "card-queue-stuck", "uas-resets", "retries-outlast-timeout"}
"""By the disk's own word, the kernel's log, or only once it is too late."""


def test_what_is_recommended_has_its_source_and_something_that_shows_whether_it_is_true_here() -> None:
    for check in CHECKS.values():
        assert check.source
        measured = check.shown or check.seen_by or check.severity is Severity.BAD
        assert bool(measured) != (check.id in SHOWN_OTHERWISE), check.id


@pytest.mark.parametrize(
    ("option", "is_meant"),
    [
        ("libata.force=noncq", True),
        ("libata.force=1.00:noncq", True),
        ("libata.force=2:1.5Gbps,1:disable,noncq", True),
        ("libata.force=2:noncq", False),
        ("libata.force=2:1.5Gbps,noncq", False),
        ("libata.force=noncqtrim", False),
        ("libata.force=1:ncq", False),
    ],
)
def test_an_option_is_blamed_for_its_own_port_alone(tmp_path: Path, option: str, is_meant: bool) -> None:
    tree = Tree(tmp_path)
    tree.kernel(OLD, option)
    solid_disk(tree, DEPTH_1)
    ((_, finding),) = findings(tmp_path)
    by_option = message("set-by-command-line", option=option)
    assert finding.set_by == (by_option if is_meant else message("set-by-quirk"))


@pytest.mark.parametrize(
    ("option", "is_meant"),
    [("libata.force=1.5Gbps", True), ("libata.force=1:1.5", True), ("libata.force=3:1.5Gbps", False),
     ("libata.force=1:3.0Gbps", False)],
)  # fmt: skip
def test_a_slow_link_is_blamed_on_an_option_of_its_speed(tmp_path: Path, option: str, is_meant: bool) -> None:
    tree = Tree(tmp_path)
    tree.kernel(OLD, option)
    solid_disk(tree)
    port(tree, "1.5 Gbps", "1.5 Gbps")
    ((_, finding),) = findings(tmp_path)
    assert (finding.check.id, finding.set_by.id == "set-by-command-line") == ("sata-link-slow", is_meant)


@pytest.mark.parametrize("option", ["usb_storage.quirks=04e8:4001:u", "usb-storage.quirks=0bc2:ab34:u,04E8:4001:gu"])
def test_an_option_counts_however_it_is_written(tmp_path: Path, option: str) -> None:
    """The kernel takes - and _ for the same in names of options."""
    tree = Tree(tmp_path)
    tree.kernel(OLD, option)
    usb_disk(tree, "5000", " 3.20", "usb-storage")
    ((_, finding),) = findings(tmp_path)
    assert finding.set_by == message("set-by-command-line", option=option)


def test_every_check_finds_something() -> None:
    assert {sick_disk.check for sick_disk in SICK.values()} == set(CHECKS)


def test_what_disktuner_was_told_is_no_finding(tmp_path: Path) -> None:
    """A scheduler chosen with Disktuner may have been measured."""
    tree = Tree(tmp_path)
    tree.kernel(OLD)
    hard_disk(tree, NONE)
    assert [finding.check.id for _, finding in findings(tmp_path)] == ["no-scheduler"]
    tree.write("run/disktuner/hold/8:0-0-until-restart", "none 2026-11-22T03:00:00Z")
    assert findings(tmp_path) == []


def test_a_depth_that_was_chosen_with_disktuner_is_no_finding(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.kernel(OLD)
    hard_disk(tree, files=DEPTH_1)
    assert [finding.check.id for _, finding in findings(tmp_path)] == ["no-command-queue"]
    tree.write("run/disktuner/hold/8:0-0-until-restart", "mq-deadline 2026-11-22T03:00:00Z")
    assert findings(tmp_path) == []
    (tree.root / "run/disktuner/hold/8:0-0-until-restart").unlink()
    udev = (tree.root / "run/udev/data/b8:0").read_text()
    tree.write("run/udev/data/b8:0", f"{udev}E:ID_WWN={WWN}")
    tree.write(OWN_FILE, own_rule({"device/queue_depth": 1}, "mq-deadline"))
    assert findings(tmp_path) == []


def test_a_command_to_copy_is_quoted(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.kernel(OLD)
    discard(tree)
    ((_, finding),) = findings(tmp_path)
    path = finding.what.values["path"]
    assert finding.by_hand and finding.by_hand.commands[0] == f"sudo mount -o remount,nodiscard {path}"
    facts = finding.what.values | {"path": "/media/a b; rm -rf ~"}
    quoted = by_hand(CHECKS["discard-at-once"], "sda", "nodiscard", facts)
    assert quoted and quoted.commands[0] == "sudo mount -o remount,nodiscard '/media/a b; rm -rf ~'"
    node = by_hand(CHECKS["write-cache-off"], "cciss!c0d0", "write back", {})
    assert node and node.commands == ("sudo hdparm -W 1 /dev/cciss/c0d0",)
    for odd in ("/media/a\nrm -rf ~\n", "/media/\x1b[8m"):
        advice = by_hand(CHECKS["discard-at-once"], "sda", "nodiscard", {**facts, "path": odd})
        assert advice is not None and advice.commands == ()


def test_what_is_set_back_is_told_with_its_remedy(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.kernel(OLD)
    set_back(tree)
    ((_, finding),) = findings(tmp_path)
    assert (finding.setting, finding.value, finding.expected) == ("queue/scheduler", "mq-deadline", "bfq")
    assert say(finding.what) == (
        "queue/scheduler was permanently set to bfq with Disktuner, but is overridden. It is now mq-deadline."
    )
    form = finding_to_json(finding)["remedy"]
    assert form["place"] == "/etc/udev/rules.d/99-fast.rules:1" and not form["commands"], "nobody can be asked there"


def test_what_may_wait_is_told_in_bytes_and_in_how_long_that_takes(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.kernel(OLD)
    stick(tree, limits=False)  # before Linux 6.2: a fifth of the memory that is free
    ((_, finding),) = findings(tmp_path)
    assert say(finding.what) == "Up to 4.1 GB may wait in memory to be written to it (vm.dirty_ratio is 20)."
    assert say(finding.why) == "At 10 MB/s, writing that takes 7 minutes."
    assert finding.by_hand and finding.by_hand.commands[0].startswith("sudo sysctl vm.dirty_bytes=")
