# SPDX-License-Identifier: GPL-3.0-or-later
"""``try-in-daily-use``: two settings alternate while the computer is used; begin, look, pause, stop."""

from __future__ import annotations

import argparse
import os
import select
import signal
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout, suppress
from datetime import UTC, datetime
from typing import Any

from disktuner.block.system import System
from disktuner.cli.arguments import Parser
from disktuner.cli.changes import helper
from disktuner.cli.glance import show_glance
from disktuner.cli.screen import Screen, cell
from disktuner.cli.streams import complain, print_json
from disktuner.helper_client.client import HelperClient
from disktuner.presentation import present, when
from disktuner.report.documents import verdict_document
from disktuner.results.model import NoSuchResult, Result
from disktuner.results.store import Store
from disktuner.verdict.judge import judge
from disktuner.vocabulary.errors import UsageError
from disktuner.vocabulary.messages import text
from disktuner.vocabulary.settings import Setting, parse_setting
from disktuner_watch.field import trial
from disktuner_watch.field.feeling import Away, Feeling
from disktuner_watch.field.runner import Runner, disk_of
from disktuner_watch.field.saved import Place, SavedTrial


def add_try_in_daily_use(parser: Parser) -> None:
    """Declare ``try-in-daily-use``."""
    with parser.only_one(required=True):
        parser.add_argument("disk", metavar="DISK", nargs="?", help=text("help-disk"))
        for action in ("status", "pause", "continue", "stop", "run"):
            about = text(f"help-field-{action}")
            parser.add_argument(f"--{action}", dest="action", action="store_const", const=action, help=about)
    parser.add_argument("--settings", nargs=2, metavar=("CURRENT", "OTHER"), help=text("help-field-settings"))
    days, about = range(1, trial.MOST_DAYS + 1), text("help-field-days", most=trial.MOST_DAYS)
    parser.add_argument("--days", type=int, default=trial.USUAL_DAYS, choices=days, metavar="N", help=about)
    parser.add_argument("--json", action="store_true", help=text("help-json"))
    parser.set_defaults(run=run_try_in_daily_use)


def run_try_in_daily_use(args: argparse.Namespace) -> int:
    """Do what is asked for; with only a disk, begin. With ``--json``, the document is about what holds afterwards."""
    place = Place()
    if not args.json:
        return _run(place, args)
    with redirect_stdout(sys.stderr):
        code = _run(place, args)
    print_json(_document(place, place.load()))
    return code


def _run(place: Place, args: argparse.Namespace) -> int:
    if args.action == "run":
        return _carry_on(place)
    if args.action == "status":
        return 0 if args.json else _show(place)
    if args.action == "stop":
        return _stop(place)
    if args.action:
        return _pause(place, on=args.action == "pause")
    return _begin(place, args)


def _begin(place: Place, args: argparse.Namespace) -> int:
    if args.settings is None:
        raise UsageError("field-needs-settings", disk=args.disk)
    settings = [parse_setting(name) for name in args.settings]
    disk = System().disk(args.disk)
    with helper() as client:
        saved = trial.begin(place, Store(), client, disk, settings=settings, days=args.days)
    first, second = (setting.name for setting in settings)
    print(text("field-begun", disk=disk.title, first=first, second=second, until=_until(saved)))
    if trial.run_by_systemd("enable", "--now"):
        return 0
    complain(text("field-runs-here"))
    return _carry_on(place)


def _carry_on(place: Place) -> int:
    """Run the trial until it is over or a signal comes."""
    if (lock := place.lock()) is None:
        raise UsageError("field-runs-already")
    # No lock may be taken where a signal comes, for whoever waits may hold it: an Event has one.
    told_to_go = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: os.eventfd_write(told_to_go, 1))
    with HelperClient() as client:
        Runner(
            place,
            Store(),
            client,
            system=System(),
            feeling=lambda disk: Feeling(disk, Away()),
            wait=lambda seconds: bool(select.select([told_to_go], [], [], seconds)[0]),
        ).run()
    if place.load() is None:
        place.remove()
        trial.run_by_systemd("disable")
    del lock
    return 0


def _pause(place: Place, *, on: bool) -> int:
    if (saved := place.load()) is None:
        raise UsageError("field-none")
    place.pause(on)
    Screen().show(*(_pause_lines(place.tried(Store(), saved)) if on else [text("field-goes-on")]))
    return 0


def _stop(place: Place) -> int:
    with helper() as client:
        stopped, saved = trial.stop(client, place)
    print(text("field-stopped" if stopped else "field-none"))
    if saved and (result := _result(place, saved)):
        show_glance(Screen(), present(result))
    return 0


def _until(saved: SavedTrial) -> str:
    return when(datetime.fromtimestamp(saved.until, UTC).isoformat())


def _result(place: Place, saved: SavedTrial) -> Result | None:
    """Return what was counted so far; None before the first pair of blocks."""
    with suppress(NoSuchResult):
        result = place.tried(Store(), saved)
        return result if saved.block.order >= 2 else None
    return None


def _show(place: Place) -> int:
    saved = place.load()
    if saved is None:
        print(text("field-none"))
    else:
        screen, result = Screen(), _result(place, saved)
        screen.show(*map(cell, _lines(place, saved)))
        if result:
            screen.show("")
            show_glance(screen, present(result))
    return 0


def _lines(place: Place, saved: SavedTrial) -> Iterator[str]:
    result = place.tried(Store(), saved)
    names = tuple(setting.name for setting in result.plan.settings)
    disk = result.disk["name"]
    yield text("field-tried", disk=disk, first=names[0], second=names[1], until=_until(saved))
    used_s = sum({sample.order: sample.duration_s for sample in result.samples}.values()) + saved.block.use_s
    yield text("time-of-use", used=used_s)
    if place.is_paused:
        yield from _pause_lines(result)


def _pause_lines(result: Result) -> Iterator[str]:
    """Yield which setting the disk has, if it is present, and how to continue."""
    if disk := disk_of(System(), result):
        had = [setting for setting in result.plan.settings if setting.is_had_by(disk.scheduler, disk.tunables)]
        setting = max(had, key=lambda setting: len(setting.tunables), default=Setting(disk.scheduler or ""))
        yield text("field-keeps", setting=setting.name)
    yield text("field-to-continue")


def _document(place: Place, saved: SavedTrial | None) -> dict[str, Any]:
    if saved is None:
        return {"trial": None}
    result = place.tried(Store(), saved)
    return {
        "trial": {
            "disk": result.disk["name"],
            "settings": [setting.name for setting in result.plan.settings],
            "until": saved.until,
            "paused": place.is_paused,
            "result": saved.result,
            "blocks": saved.block.order,
            "verdict": verdict_document(judge(result)),
        }
    }
