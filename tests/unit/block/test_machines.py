# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds of machines that were not recorded are told truly; what can be below a folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.unit.block.machines import MACHINES, build

from disktuner.block.disk import disk_to_json
from disktuner.block.system import System
from disktuner.vocabulary.errors import NoSuchThing
from disktuner.vocabulary.messages import message, say


@pytest.mark.parametrize("name", MACHINES)
def test_each_disk_is_what_it_is(name: str, tmp_path: Path) -> None:
    expected = build(name, tmp_path)
    disks = System(tmp_path).disks()
    told = {
        disk.name: (disk.kind.id, disk.transport.value, disk.kind_certain, disk.scheduler,
                    tuple(mount.path for mount in disk.mounts))
        for disk in disks
    }  # fmt: skip
    assert told == expected
    for disk in disks:
        assert disk.tunable == (disk.why_not is None)
        assert disk.kind_certain == (disk.kind_doubt is None)
        assert (disk.suggestion is not None) == disk.tunable
        form = json.loads(json.dumps(disk_to_json(disk)))
        assert form["why_not"] == (say(disk.why_not) if disk.why_not else None)
        assert form["suggestion"] == (
            {"scheduler": disk.suggestion.scheduler, "why": say(disk.suggestion.why)} if disk.suggestion else None
        )


def test_a_folder_on_luks_and_btrfs_reaches_the_nvme(tmp_path: Path) -> None:
    build("laptop_luks", tmp_path)
    where = System(tmp_path).disks_below(Path("/home/me"))
    assert where.disks == ("nvme0n1",)
    assert where.mount is not None
    assert where.mount.via == ("dm-0", "nvme0n1p3")
    assert System(tmp_path).disk("dm-0").why_not == message("tune-what-lies-below", disks=("nvme0n1",))


def test_an_old_kernel_leaves_a_zoned_disk_alone(tmp_path: Path) -> None:
    build("odd_ones", tmp_path)
    assert System(tmp_path).disk("sda").why_not == message("zoned-on-old-kernel")
    (tmp_path / "proc/sys/kernel/osrelease").write_text("6.12.0\n")
    zoned = System(tmp_path).disk("sda")
    assert zoned.tunable
    assert zoned.suggestion is not None
    assert zoned.suggestion.scheduler == "mq-deadline"


@pytest.mark.parametrize(
    ("fstype", "source", "options", "words"),
    [
        ("nfs4", "nas:/export", "rw", "server's disks"),
        ("cifs", "//nas/share", "rw", "server's disks"),
        ("overlay", "overlay", "rw,lowerdir=/a,upperdir=/var/lib/up,workdir=/w", "/var/lib/up"),
        ("tmpfs", "tmpfs", "rw", "in memory"),
        ("fuse.mergerfs", "a:b", "rw", "served by a program"),
        ("virtiofs", "share", "rw", "by the host"),
    ],
)
def test_where_nothing_can_be_tuned_it_is_said(
    tmp_path: Path, fstype: str, source: str, options: str, words: str
) -> None:
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/mountinfo").write_text(f"30 1 0:50 / /x rw - {fstype} {source} {options}\n")
    where = System(tmp_path).disks_below(Path("/x/y"))
    assert where.disks == ()
    assert where.why_nothing is not None
    assert words in say(where.why_nothing)


def test_a_folder_bound_onto_its_own_place_is_no_mount_more(tmp_path: Path) -> None:
    """As an overlay over /etc is opened for one folder, NixOS protects its store, and ostree its programs."""
    build("cloud_guest", tmp_path)
    with (tmp_path / "proc/self/mountinfo").open("a") as file:
        file.write(
            "\n40 1 254:0 /etc/udev/rules.d /etc/udev/rules.d rw - xfs /dev/vda rw\n"
            "41 1 254:0 /nix/store /nix/store ro - xfs /dev/vda rw\n"
            "42 1 254:0 /data/home /home rw - xfs /dev/vda rw\n"
            "43 1 254:0 / /again rw - xfs /dev/vda rw\n"
        )
    assert [mount.path for mount in System(tmp_path).disk("vda").mounts] == ["/", "/home", "/again"]
    assert System(tmp_path).disks_below(Path("/nix/store")).disks == ("vda",)


def test_modules_that_are_not_loaded_are_loadable(tmp_path: Path) -> None:
    build("sata_pair", tmp_path)
    (tmp_path / "sys/block/sda/queue/scheduler").write_text("[mq-deadline] none\n")
    modules = tmp_path / "lib/modules/6.1.0-18-amd64/kernel/block"
    modules.mkdir(parents=True)
    for name in ("bfq.ko", "kyber-iosched.ko.xz", "mq-deadline.ko", "t10-pi.ko"):
        (modules / name).touch()
    (modules.parents[1] / "modules.alias").write_text("alias adios-iosched adios\nalias pci:x foo\n")
    disk = System(tmp_path).disk("sda")
    assert disk.loadable == ("adios", "bfq", "kyber")
    assert disk.schedulers == ("mq-deadline", "none")


def test_an_unknown_disk_is_refused_with_advice(tmp_path: Path) -> None:
    with pytest.raises(NoSuchThing, match="disktuner list"):
        System(tmp_path).disk("sdz")
