# SPDX-License-Identifier: GPL-3.0-or-later
"""``check``: what slows the disks, what the kernel would choose, and who set it."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path

from disktuner.block.system import System
from disktuner.checkup.doctor import distribution, told, writer_to_json
from disktuner.checkup.findings import CheckUp, Finding, check_up, finding_to_json
from disktuner.checkup.health import read_health
from disktuner.cli.disks import by_disks
from disktuner.cli.screen import Screen, cell
from disktuner.cli.streams import print_json, remark
from disktuner.opening import is_folder
from disktuner.remedies import Remedy
from disktuner.vocabulary.errors import UsageError
from disktuner.vocabulary.messages import text

_COMMAND = " " * 6
"""What stands so far to the right is to be copied as it is."""


def add_check(parser: argparse.ArgumentParser) -> None:
    """Declare ``check``."""
    parser.add_argument("disk", metavar="DISK", nargs="?", help=text("help-check-disk"))
    parser.add_argument("--json", action="store_true", help=text("help-json"))
    parser.add_argument("--sysroot", metavar="DIR", type=Path, default=Path("/"), help=text("help-sysroot"))
    parser.set_defaults(run=run_check)


def run_check(args: argparse.Namespace) -> int:
    """Print what there is to look at, on the disks of this machine or of a recorded one."""
    if not is_folder(args.sysroot):
        raise UsageError("no-sysroot", folder=str(args.sysroot))
    system = System(args.sysroot)
    disks = (system.disk(args.disk),) if args.disk is not None else system.disks()
    health = read_health() if system.is_live else None
    if system.is_live and health is None:
        remark(text("health-not-read"))
    checked = check_up(system, disks, health)
    if args.disk and not checked:
        remark(text("checkup-not-this", disk=disks[0].title))
    if args.json:
        print_json({"disks": [_to_json(each) for each in checked]})
    elif checked or not args.disk:
        screen = Screen()
        for line in _lines(checked):
            if not line or line.startswith(_COMMAND):
                screen.show_unbroken(cell(line))
            else:
                screen.show_indented(line)
    return 0


def _to_json(one: CheckUp) -> dict[str, object]:
    findings, writers = map(finding_to_json, one.findings), map(writer_to_json, one.writers)
    return {"name": one.disk.name, "findings": list(findings), "writers": list(writers)}


def _lines(checked: Sequence[CheckUp]) -> Iterator[str]:
    fine = tuple(each.disk.name for each in checked if not each.findings)
    if len(fine) == len(checked):
        yield text("checkup-fine", count=len(fine)) if checked else text("checkup-nothing")
        fine = ()
    for one in checked:
        if one.findings:
            yield text("checkup-heading", disk=one.disk.title, count=len(one.findings))
            for finding in one.findings:
                yield from (f"  {line}" for line in _finding(one, finding))
            yield ""
    if fine:
        yield text("checkup-rest-fine", disks=fine)
    yield from by_disks(
        (one.disk.name, each)
        for one in checked
        for each in (distribution(one.disk, one.writers), *told(one.writers))
        if each
    )


def _remedy(remedy: Remedy) -> Iterator[str]:
    """What is changed, and the commands as they are to be copied."""
    yield text("checkup-fix", what=remedy.what)
    parts = {
        "commands": remedy.commands,
        "undo": remedy.undo,
    }
    for part, lines in parts.items():
        if lines:
            yield "  " + text(f"checkup-fix-{part}")
            yield from (f"    {line}" for line in lines)


def _finding(one: CheckUp, finding: Finding) -> Iterator[str]:
    check = finding.check
    severity = text(f"checkup-severity-{check.severity.value}")
    yield text("checkup-what", severity=severity, what=finding.what)
    yield "  " + text("checkup-set-by", set_by=finding.set_by)
    if finding.kernel:
        yield "  " + text("checkup-kernel", kernel=finding.kernel)
    yield "  " + text("checkup-why", why=finding.why)
    yield "  " + text("checkup-cost", cost=finding.costs)
    if finding.fix and check.shown:
        goal, workloads = check.shown.goal, ",".join(check.shown.workloads)
        setting = finding.fix.name
        yield "  " + text("checkup-measure")
        yield f"    disktuner compare /dev/{one.disk.name} --goal {goal} --workloads {workloads} --settings {setting}"
    if finding.by_hand and (check.of_machine or not (finding.fix and check.shown)):
        yield "  " + text("checkup-by-hand", what=finding.by_hand.what)
        yield from (f"    {command}" for command in finding.by_hand.commands)
    if check.seen_by and not finding.fix:
        yield "  " + text("checkup-see")
        yield f"    disktuner bench /dev/{one.disk.name} --workload {check.seen_by}"
    if finding.remedy:
        yield from (f"  {line}".rstrip() for line in _remedy(finding.remedy))
    if finding.rule:
        yield "  " + text("checkup-sources", source=check.source, rule=finding.rule.source)
    else:
        yield "  " + text("checkup-source", source=check.source)
