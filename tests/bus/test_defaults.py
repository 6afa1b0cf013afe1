# SPDX-License-Identifier: GPL-3.0-or-later
"""A real systemd-hwdb takes the defaults of a summary, and a real udevd applies them when a disk appears."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from disktuner.report.defaults import HWDB, defaults
from disktuner.report.defaults import RULES as RULE_FILE
from tests.bus.conftest import RULES, Udevd
from tests.conftest import Sudo
from tests.unit.fleet.drawing import machine, summary, write

MODEL = "Fast Disk 2/3 1TB"
AS_UDEV_HAS_IT = ("Fast_Disk_2_3_1TB", MODEL)  # as most probers write it, and as it is written for NVMe disks
DATABASE = "/etc/udev/hwdb.bin"


@pytest.fixture
def root(tmp_path: Path, sudo: Sudo) -> Iterator[Path]:
    """Our database in the place of the system's, for this kernel and for one that nobody has, and the rule."""
    for kernel, place in ((os.uname().release, 0), ("99.1.0", 10)):
        write(tmp_path / kernel, *(machine(place + number, model=MODEL, kernel=kernel) for number in range(4)))
    files = defaults(summary(tmp_path).groups).files
    assert files is not None
    folder = tmp_path / "root/etc/udev/hwdb.d"
    folder.mkdir(parents=True)
    (folder / HWDB).write_text(files[HWDB])
    (tmp_path / RULE_FILE).write_text(files[RULE_FILE])
    sudo("systemd-hwdb", "update", "--strict", "--root", tmp_path / "root")
    sudo("cp", f"{tmp_path}/root{DATABASE}", DATABASE)
    yield tmp_path
    sudo("rm", DATABASE)


@pytest.fixture
def ready(root: Path, udevd: Udevd, sudo: Sudo) -> Udevd:
    """udevd has database and rule, and both disks are of the model."""
    lines = [f'KERNEL=="{disk.name}", ENV{{ID_MODEL}}="{model}"\n'
             for disk, model in zip((udevd.disk, udevd.other), AS_UDEV_HAS_IT, strict=True)]  # fmt: skip
    sudo("tee", "/run/udev/rules.d/60-model.rules", stdin="".join(lines))
    sudo("cp", root / RULE_FILE, RULES / RULE_FILE)
    sudo("udevadm", "control", "--reload")
    return udevd


@pytest.mark.usefixtures("root")
@pytest.mark.parametrize("model", AS_UDEV_HAS_IT)
def test_the_database_knows_the_model(model: str, sudo: Sudo) -> None:
    series = "_".join(os.uname().release.split(".")[:2])
    said = sudo("systemd-hwdb", "query", f"disktuner:{model}").split()
    assert sorted(said) == sorted((f"DISKTUNER_SCHEDULER_{series}=bfq", "DISKTUNER_SCHEDULER_99_1=bfq"))
    assert not sudo("systemd-hwdb", "query", f"disktuner:{model}X").split()


def test_disks_that_appear_get_the_default_and_keep_what_is_chosen_later(ready: Udevd, sudo: Sudo) -> None:
    for disk in (ready.disk, ready.other):
        assert disk.scheduler == "none"
        ready.trigger("add", disk)
        assert disk.scheduler == "bfq"
        sudo("tee", disk.queue / "scheduler", stdin="kyber")
        ready.trigger("change", disk)
        assert disk.scheduler == "kyber", "it is a default, nobody's choice"


def test_another_model_is_left_alone(ready: Udevd, sudo: Sudo) -> None:
    sudo("tee", "/run/udev/rules.d/60-model.rules", stdin='ENV{ID_MODEL}="Fast_Disk_2_3_1TBX"\n')
    sudo("udevadm", "control", "--reload")
    ready.trigger("add", ready.disk)
    assert ready.disk.scheduler == "none"
