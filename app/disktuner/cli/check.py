# SPDX-License-Identifier: GPL-3.0-or-later
"""``check``: what slows the disks, what the kernel would choose, and who set it."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from disktuner.block.disk import Disk, device_node
from disktuner.block.system import System
from disktuner.checkup.doctor import distribution, sentences_on, writer_to_json
from disktuner.checkup.findings import CheckUp, Finding, check_up, finding_to_json
from disktuner.checkup.health import read_health
from disktuner.cli.disks import by_disks
from disktuner.cli.screen import Screen, cell
from disktuner.cli.streams import print_json, remark
from disktuner.opening import is_folder
from disktuner.presentation.portrait import cache_end, tells_end
from disktuner.remedies import Remedy
from disktuner.results.portrait import Portraits
from disktuner.vocabulary.errors import UsageError
from disktuner.vocabulary.messages import say, text

_COMMAND = " " * 6
"""The indentation of lines to copy verbatim."""


def add_check(parser: argparse.ArgumentParser) -> None:
    """Declare ``check``."""
    parser.add_argument("disk", metavar="DISK", nargs="?", help=text("help-check-disk"))
    parser.add_argument("--json", action="store_true", help=text("help-json"))
    parser.add_argument("--sysroot", metavar="DIR", type=Path, default=Path("/"), help=text("help-sysroot"))
    parser.set_defaults(run=run_check)


def run_check(args: argparse.Namespace) -> int:
    """Print the findings on the disks of this machine or a recorded one."""
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
    ends = cache_ends([result.disk for result in checked]) if system.is_live else {}
    if args.json:
        print_json({"disks": [_to_json(result, ends.get(result.disk.name)) for result in checked]})
    elif checked or not args.disk:
        screen = Screen()
        for line in (*_lines(checked), *by_disks(ends.items())):
            if not line or line.startswith(_COMMAND):
                screen.show_unbroken(cell(line))
            else:
                screen.show_indented(line)
    return 0


def cache_ends(disks: Sequence[Disk]) -> dict[str, str]:
    """Return what portraits say about caches, by disk name."""
    portraits = {disk.name: Portraits().newest_of(disk, tells_end) for disk in disks}
    return {name: sentence for name, portrait in portraits.items() if portrait and (sentence := cache_end(portrait))}


def _to_json(result: CheckUp, portrait: str | None) -> dict[str, object]:
    findings, writers = map(finding_to_json, result.findings), map(writer_to_json, result.writers)
    return {"name": result.disk.name, "findings": list(findings), "writers": list(writers), "portrait": portrait}


def _lines(checked: Sequence[CheckUp]) -> Iterator[str]:
    fine = tuple(result.disk.name for result in checked if not result.findings)
    if len(fine) == len(checked):
        yield text("checkup-fine", count=len(fine)) if checked else text("checkup-nothing")
        fine = ()
    for result in checked:
        if result.findings:
            yield text("checkup-heading", disk=result.disk.title, count=len(result.findings))
            for finding in result.findings:
                yield from (f"  {line}" for line in _finding(result, finding))
            yield ""
    if fine:
        yield text("checkup-rest-fine", disks=fine)
    yield from by_disks(
        (result.disk.name, line)
        for result in checked
        for line in (distribution(result.disk, result.writers), *sentences_on(result.writers))
        if line
    )


def _remedy(remedy: Remedy) -> Iterator[str]:
    """Yield what is changed, and the commands to copy."""
    yield text("checkup-fix", what=remedy.what)
    parts = {
        "commands": remedy.commands,
        "undo": remedy.undo,
    }
    for part, lines in parts.items():
        if lines:
            yield "  " + text(f"checkup-fix-{part}")
            yield from (f"    {line}" for line in lines)


def _finding(result: CheckUp, finding: Finding) -> Iterator[str]:
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
        options = ("--goal", goal, "--workloads", workloads, "--settings", finding.fix.name)
        yield "  " + text("checkup-measure")
        yield "    " + shlex.join(("disktuner", "compare", device_node(result.disk.name), *options))
    if finding.by_hand and (check.of_machine or not (finding.fix and check.shown)):
        yield "  " + text("checkup-by-hand", what=finding.by_hand.what)
        yield from (f"    {command}" for command in finding.by_hand.commands)
    if finding.before_and_after:
        yield "  " + say(finding.before_and_after.what)
        yield from (f"    {command}" for command in finding.before_and_after.commands)
    if finding.remedy:
        yield from (f"  {line}".rstrip() for line in _remedy(finding.remedy))
    if finding.rule:
        yield "  " + text("checkup-sources", source=check.source, rule=finding.rule.source)
    else:
        yield "  " + text("checkup-source", source=check.source)
