# SPDX-License-Identifier: GPL-3.0-or-later
"""Opened results: which disk of this machine they are about, and how they are continued and tuned."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from disktuner.block.disk import Disk, Mount, disk_to_json
from disktuner.comparison.continuing import find_measured
from disktuner.gui.measurement.result_page import ResultPage
from disktuner.results.beginning import this_machine
from disktuner.results.model import Machine, Result
from disktuner.results.store import Store
from disktuner.verdict.outcomes import Decision
from disktuner.vocabulary.messages import text
from tests.gui.answers import measured
from tests.gui.measuring import complaints
from tests.gui.person import Person, Visit, click, details, said, seen, until
from tests.gui.stand_ins import Bench, disk, result, trial

NAMELESS = {"wwn": "", "serial": ""}
FOREIGN = {"name": "sdz", "model": "Quantum Fireball", "wwn": "0x77"}


EARLIER = replace(this_machine(), boot_id="before it was started anew")


def of(measured: Disk, here: bool = True, disks: tuple[str, ...] = (), machine: Machine = EARLIER) -> Result:
    """A result of a disk, perhaps of another computer."""
    machine = machine if here else replace(machine, cpu="another")
    return replace(result(3), disk=disk_to_json(measured), machine=machine, disks=disks)


@pytest.mark.parametrize(
    ("measured", "disks", "name", "certain"),
    [
        (of(disk()), (disk("nvme0n1", wwn="0x9"), disk()), "sda", True),
        (of(disk(), here=False), (disk("sdc", diskseq=90),), "sdc", True),
        (of(disk(), disks=("sda", "sdb")), (disk(),), "sda", False),
        (of(disk("sdb", diskseq=8)), (disk(), disk("sdb", diskseq=8)), "sdb", False),
        (of(disk("sdb", diskseq=8), machine=this_machine()), (disk(), disk("sdb", diskseq=8)), "sdb", True),
        (of(disk(**NAMELESS)), (disk(**NAMELESS),), "sda", False),
        (of(disk(**NAMELESS), machine=this_machine()), (disk(**NAMELESS),), "sda", True),
        (of(disk(**NAMELESS), machine=this_machine()), (disk(**NAMELESS, diskseq=8),), "sda", False),
        (of(disk(**NAMELESS, diskseq=0), machine=this_machine()), (disk(**NAMELESS, diskseq=0),), "sda", False),
    ],
)
def test_a_disk_is_known_by_its_wwn_or_serial_number(
    measured: Result, disks: tuple[Disk, ...], name: str, certain: bool
) -> None:
    matching = find_measured(measured, disks)
    assert ([disk.name for disk in matching.disks], matching.certain, matching.why_not) == ([name], certain, None)


@pytest.mark.parametrize(
    ("measured", "disks", "why"),
    [
        (of(disk()), (disk("nvme0n1", wwn="0x9"),), "on-gone"),
        (of(disk(), here=False), (), "on-elsewhere"),
        (of(disk()), (disk(serial="other"),), "on-another"),
        (of(disk(**NAMELESS)), (disk(**NAMELESS, model="Another"),), "on-another"),
        (of(disk(**NAMELESS), here=False), (disk(**NAMELESS),), "on-elsewhere"),
        (of(disk()), (disk(**NAMELESS),), "on-another"),
        (replace(of(disk(), here=False), disk={"model": "WD"}), (disk(),), "on-unnamed"),
    ],
)
def test_another_disk_is_not_taken_for_it(measured: Result, disks: tuple[Disk, ...], why: str) -> None:
    matching = find_measured(measured, disks)
    assert matching.disks == () and not matching.certain and matching.why_not is not None and matching.why_not.id == why


@pytest.fixture
def nameless(bench: Bench) -> Disk:
    """A disk without an identity of its own, beside those of the bench."""
    unnamed = disk("sde", diskseq=12, **NAMELESS, mounts=bench.disks[1].mounts)
    bench.disks = (*bench.disks, unnamed)
    return unnamed


@pytest.fixture
def store(bench: Bench, nameless: Disk) -> Store:
    """A clear result, an undecided one, one of another computer's disk, and one of the disk without an identity."""
    store, undecided = Store(bench.kept), measured(Decision.UNDECIDED)
    of_nameless = replace(measured(Decision.SWITCH), disk=disk_to_json(nameless), machine=EARLIER)
    results = {"clear": result(6), "open": undecided, "foreign": replace(undecided, disk=FOREIGN), "vague": of_nameless}
    for name, result_ in results.items():
        store.save(replace(result_, id=name))
    return store


def test_an_opened_result_is_measured_on_and_tuned_on_its_page(person: Person, bench: Bench, store: Store) -> None:
    page = person.open_kept("open")
    assert page.more_button.isEnabled() and complaints(person.window) == []
    page.more_button.click()
    person.at_cost()
    assert person.window.opened is not None, "that is where the way back leads"
    request = bench.comparisons[-1].request
    assert (request.continues, request.target, request.goal) == (
        store.path_of("open"), bench.disks[1].mounts[0].path, "desktop",
    )  # fmt: skip
    person.measure()
    person.window.back()
    details(person.open_kept("clear")).tune_button.click()
    person.at_cost()
    request = bench.comparisons[-1].request
    assert (request.after, request.target) == (store.path_of("clear"), bench.disks[1].mounts[0].path)


def test_what_can_be_done_with_an_opened_result_depends_on_its_disk(
    person: Person, bench: Bench, store: Store, nameless: Disk
) -> None:
    """Tried if the disk is certain, only continued if it is not, read and saved if it is not here."""
    page = person.open_kept("foreign")
    assert page.more_button.isVisible() and not page.more_button.isEnabled() and page.first is page.save_button
    assert text("on-elsewhere", disk="Quantum Fireball sdz") in said(page) and not details(page).tune_button.isVisible()
    assert not any(button.isVisible() for button in (page.use_button, page.leave_button))
    person.window.back()
    page = person.open_kept("vague")
    assert not page.use_button.isVisible() and page.leave_button.isVisible() and details(page).tune_button.isEnabled()
    assert text("on-uncertain", disk=nameless.title) in said(page) and complaints(person.window) == []
    person.window.back()
    page = person.open_kept("clear")
    banner = person.try_now()
    assert bench.helper.calls == trial("bfq", ("sda", 7)) and not page.use_button.isEnabled()
    click(banner.back_button)
    until(page.use_button.isEnabled)
    click(page.leave_button)
    assert person.window.opened is None and person.window.page("history").isVisible()


def test_it_is_continued_on_the_file_system_where_it_was_measured(
    visit: Visit, bench: Bench, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folders = tmp_path, tmp_path_factory.mktemp("second")
    mounts = tuple(Mount(str(folder), "ext4", "/dev/sda1", ("sda1",), 10**12, 10**11) for folder in folders)
    bench.disks = (disk(mounts=mounts),)
    Store(bench.kept).save(result(3, str(folders[1]), noise=0.5))
    person = visit(bench)
    person.running.show_result("r")
    click(until(lambda: seen(ResultPage))[0].more_button)
    person.at_cost()
    assert person.plan.target == str(folders[1])
    assert person.plan.folder.count() == len(folders)
