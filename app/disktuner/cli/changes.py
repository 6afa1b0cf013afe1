# SPDX-License-Identifier: GPL-3.0-or-later
"""``set``, ``revert`` and ``forget``: ask the helper for a change, and say what holds afterwards."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pkgutil import resolve_name

from disktuner.block.disk import Disk
from disktuner.block.queue import not_offered
from disktuner.block.system import System
from disktuner.block.writers.owners import writers_of
from disktuner.cli.arguments import Parser
from disktuner.cli.streams import complain
from disktuner.entry_points import STOP_TRIAL
from disktuner.helper_client import calls
from disktuner.helper_client.calls import Chosen, FieldTrial, HelperState, Snapshot
from disktuner.helper_client.client import HelperClient
from disktuner.helper_client.errors import Busy, WriteFailed
from disktuner.helper_client.text_agent import text_agent
from disktuner.remedies import warnings
from disktuner.standing import is_back, keeps_using, now_uses, still_chosen
from disktuner.vocabulary.errors import DisktunerError, NoSuchThing, NotAuthorised, UsageError
from disktuner.vocabulary.messages import Message, say, text
from disktuner.vocabulary.schedulers import SET
from disktuner.vocabulary.settings import Setting, known_setting, parse_setting


@contextmanager
def helper() -> Iterator[HelperClient]:
    """Connect to the helper, with a password prompt on the terminal if rights are needed, and disconnect."""
    try:
        with HelperClient() as client, text_agent():
            yield client
    except NotAuthorised as error:
        raise NotAuthorised("not-authorised-but-root", reason=error.message) from error


# ---- set -----------------------------------------------------------------------------------------------------------


def add_set(parser: Parser) -> None:
    """Declare ``set``."""
    parser.add_argument("disk", metavar="DISK", help=text("help-disk"))
    parser.add_argument("scheduler", metavar="SCHEDULER", help=text("help-scheduler"))
    parser.add_argument("--tunable", metavar="NAME=VALUE", action="append", default=[], help=text("help-tunable"))
    with parser.only_one():
        parser.add_argument("--persist", action="store_true", help=text("help-persist"))
        parser.add_argument("--insist", action="store_true", help=text("help-insist"))
    parser.set_defaults(run=run_set)


def run_set(args: argparse.Namespace) -> int:
    """Check what needs no rights, warn of what would undo the change, then ask the helper for it."""
    wanted = parse_setting(args.scheduler) if SET in args.scheduler else Setting(args.scheduler)
    scheduler = wanted.scheduler
    tunables = {name: str(value) for name, value in wanted.tunables} | dict(map(_tunable, args.tunable))
    system = System()
    disk = system.disk(args.disk)
    _check(disk, scheduler, insists=args.insist)
    setting = known_setting(scheduler, tunables)
    against = tuple(map(say, warnings(disk, writers_of(system, disk), setting, for_good=args.persist)))
    for line in against:
        complain(line)
    named = [(disk.name, disk.diskseq)]
    with helper() as client:
        if args.insist:
            client.wait(calls.insist(named, scheduler, tunables))
        else:
            client.wait(calls.set_disks(named, scheduler, tunables, persist=args.persist))
    if args.persist:
        print(keeps_using([disk], setting, lambda _: " ".join(against[-1:])), *_way_back(system.disk(disk.name)))
    else:
        print(now_uses([disk], setting), text("way-back", disk=disk.name))
    return 0


def _way_back(disk: Disk) -> Iterator[str]:
    """Say what else to know about a persistent choice for the disk."""
    if disk.persistent and disk.persistent.by_port:
        yield text("known-by-port", disk=disk.name)
    yield text("way-back-of-choice", disk=disk.name)


def _tunable(given: str) -> tuple[str, str]:
    name, equals, value = given.partition("=")
    if not equals or not name or not value:
        raise UsageError("not-a-tunable", given=given)
    return name if "/" in name else f"iosched/{name}", value  # as in SCHEDULER:NAME=VALUE


def _check(disk: Disk, scheduler: str, *, insists: bool) -> None:
    if not disk.tunable and not (insists and disk.may_hang):
        raise NoSuchThing("not-tunable", disk=disk.title, why=disk.why_not)
    possible = (*disk.schedulers, *disk.loadable)
    if scheduler not in possible:
        raise not_offered(disk, scheduler, possible)


# ---- revert --------------------------------------------------------------------------------------------------------


def add_revert(parser: Parser) -> None:
    """Declare ``revert``."""
    with parser.only_one(required=True):
        parser.add_argument("disk", metavar="DISK", nargs="?", help=text("help-disk"))
        parser.add_argument("--all", action="store_true", help=text("help-revert-all"))
    parser.set_defaults(run=run_revert)


def run_revert(args: argparse.Namespace) -> int:
    """Ask the helper to restore what it remembers; if that is nothing, no rights are asked for."""
    with helper() as client:
        wanted = None if args.all else System().name_of(args.disk)
        state = client.wait(calls.get_state())
        remembered = [snapshot for snapshot in state.snapshots if wanted in (None, snapshot.disk)]
        tried = state.field_trials_of(wanted)
        if not remembered and not tried:
            if measured := next((name for name in state.held if wanted in (None, name)), None):
                raise Busy("refused-disk-in-trial", disk=measured)
            print(" ".join(_untouched(wanted)))
            return 0
        disks = [(snapshot.disk, snapshot.diskseq) for snapshot in remembered]
        if wanted and not disks:
            disks = [(wanted, System().disk(wanted).diskseq)]
        try:
            client.wait(calls.revert(disks if wanted else ()))
        except DisktunerError:  # one disk that cannot go back does not keep the others from it
            with suppress(DisktunerError):
                _report_reverted(client, remembered, tried)
            raise
        _report_reverted(client, remembered, tried)
        if any(field_trial.uid == os.getuid() for field_trial in tried):
            resolve_name(STOP_TRIAL)(client)
    return 0


def _report_reverted(client: HelperClient, remembered: Sequence[Snapshot], tried: Sequence[FieldTrial]) -> None:
    now = client.wait(calls.get_state())
    ended = [trial for trial in tried if trial not in now.field_trials]
    if any(not any(map(now.snapshot_of, trial.disks)) for trial in ended):
        print(text("field-stopped"))
    for snapshot in remembered:
        if snapshot not in now.snapshots:
            print(" ".join(_reverted(snapshot)))


def _untouched(name: str | None) -> Iterator[str]:
    if name is None:
        yield text("nothing-to-revert")
        return
    disk = System().disk(name)
    yield text("nothing-to-revert-on", disk=disk.title, scheduler=disk.scheduler)
    yield from still_chosen(disk)


def _reverted(before: Snapshot) -> Iterator[str]:
    try:
        disk = System().disk(before.disk)
    except NoSuchThing:
        yield text("disk-gone-before-revert", disk=before.disk)
        return
    if disk.diskseq != before.diskseq:
        yield text("another-disk-now", name=before.disk, disk=disk.title)
        return
    yield is_back(disk, disk.scheduler)


# ---- forget --------------------------------------------------------------------------------------------------------


def add_forget(parser: Parser) -> None:
    """Declare ``forget``."""
    with parser.only_one(required=True):
        parser.add_argument("disk", metavar="DISK", nargs="?", help=text("help-disk"))
        parser.add_argument("--all", action="store_true", help=text("help-forget-all"))
    parser.set_defaults(run=run_forget)


def run_forget(args: argparse.Namespace) -> int:
    """Ask the helper to remove the disk's rule file; if there is none, no rights are asked for."""
    wanted = None if args.all else System().name_of(args.disk)
    with helper() as client:
        state = client.wait(calls.get_state())
        chosen = state.persistent if wanted is None else _choices_of(wanted, state)
        if chosen or state.problem:
            disk = _present(wanted)
            client.wait(calls.forget(() if wanted is None else [(wanted, disk.diskseq if disk else 0)]))
    for choice in chosen:
        print(" ".join(_forgotten(choice, state)))
    disk = System().disk(wanted) if wanted and not chosen else _present(wanted)
    if state.problem and (wanted is None or (disk and _is_set_by(disk, state.problem))):
        raise WriteFailed.of(state.problem)
    if not chosen:
        print(text("no-choice-for", disk=disk.title) if disk else text("no-choice"))
    return 0


def _is_set_by(disk: Disk, problem: Message) -> bool:
    """Whether a rule file that is not the helper's sets a disk: a copy, an edited one or an older version's."""
    return bool(disk.persistent) or any(
        writer.file == problem.values.get("file") and writer.may_write for writer in writers_of(System(), disk)
    )


def _present(name: str | None) -> Disk | None:
    """Return a disk; None if it is absent."""
    with suppress(NoSuchThing):
        return System().disk(name) if name else None
    return None


def _choices_of(name: str, state: HelperState) -> Sequence[Chosen]:
    """Return what forgetting a disk removes, as the helper decides: its choice, else those of absent ones."""
    current = [choice for choice in state.persistent if name in choice.disks]
    return current or [choice for choice in state.persistent if choice.disk == name and not choice.disks]


def _forgotten(choice: Chosen, state: HelperState) -> Iterator[str]:
    yield text("forgotten", disk=choice.title or choice.disk, scheduler=choice.scheduler)
    for disk in System().disks():
        if disk.name in choice.disks:
            yield text("kept-until-restart", disk=disk.name, scheduler=disk.scheduler)
            if before := state.snapshot_of(disk.name):
                yield text("way-back-now", disk=disk.name, scheduler=before.scheduler)
