# SPDX-License-Identifier: GPL-3.0-or-later
"""``watch``: the flight recorder and its incidents."""

from __future__ import annotations

import argparse
import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from disktuner.cli.arguments import Parser
from disktuner.cli.streams import print_json, remark
from disktuner.opening import is_folder
from disktuner.vocabulary.errors import NoSuchThing, UsageError
from disktuner.vocabulary.messages import text
from disktuner.writing import write_chosen
from disktuner_watch import control, unit
from disktuner_watch.incidents import Incident, Incidents, choose_second

if TYPE_CHECKING:
    from collections.abc import Sequence

_NOTIFY_S = 10.0


def add_watch(parser: Parser) -> None:
    """Declare ``watch``."""
    parser.usage = f"{parser.prog} [INCIDENT] [--OPTION ...]"
    parser.add_argument("incident", metavar="INCIDENT", nargs="?", help=text("help-incident"))
    with parser.only_one():
        parser.add_argument("--now", action="store_true", help=text("help-now"))
        parser.add_argument("--record", action="store_true", help=text("help-record"))
        parser.add_argument("--image", type=Path, metavar="FILE", help=text("help-incident-image"))
        parser.add_argument("--second", metavar="FOLDER", help=text("help-second"))
    parser.add_argument("--json", action="store_true", help=text("help-json"))
    parser.set_defaults(run=run_watch)


def run_watch(args: argparse.Namespace) -> int:
    """Record, save an incident now, or show saved ones. Recording imports little, since it runs all day."""
    if args.second is not None:
        notice = _choose_second(args.second)
        if not args.json:
            print(notice)
            return 0
        remark(notice)
    incidents = Incidents.of_user()
    if args.record:
        return _record(incidents)
    if args.now:
        args.incident = control.keep_now()
    is_single = args.incident is not None or args.image
    shown = [incidents.load(args.incident)] if args.incident is not None else incidents.all()
    for folder in incidents.silent:
        remark(text("incidents-silent", folder=str(folder)))
    if args.image:
        _draw(shown, args.image)
    if args.json:
        print_json({"on": control.is_on(), "incidents": [_document(incident) for incident in shown]})
    elif is_single:
        _show_whole(shown[0])
    else:
        _show(shown)
    return 0


def _choose_second(named: str) -> str:
    """Choose another disk's folder for incidents, or none; return what is said of it. Raises ``UsageError``."""
    if named == "none":
        choose_second(None)
        return text("second-unchosen")
    folder = Path(named).absolute()
    if not is_folder(folder) or not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError("second-not-there", folder=str(folder))
    choose_second(folder)
    return text("second-chosen", folder=str(folder))


def _record(incidents: Incidents) -> int:
    running = control.Running(incidents, notify)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: running.stop())
    remark(text("recording", folder=str(incidents.folder)))
    running.run()
    return 0


def notify(incident: Incident) -> None:
    """Show an incident as a desktop notification, if there is notify-send (libnotify)."""
    import subprocess  # noqa: PLC0415 - see run_watch

    from disktuner.vocabulary.messages import say  # noqa: PLC0415
    from disktuner_watch.wording import how_long, why  # noqa: PLC0415

    said = (say(how_long(incident)), say(why(incident)))
    command = ("notify-send", "--app-name=Disktuner", "--icon=org.disktuner.Disktuner", "--", *said)
    with suppress(OSError, subprocess.SubprocessError):
        subprocess.run(command, capture_output=True, check=False, timeout=_NOTIFY_S)


def _document(incident: Incident) -> dict[str, object]:
    from disktuner_watch.wording import begin_text, command, description  # noqa: PLC0415 - see run_watch

    cause = incident.cause
    about = incident.disks.get(cause.disk)
    return {
        "id": incident.id,
        "started": incident.started,
        "asked": incident.asked,
        "stalled_s": incident.stalled_s,
        "cause": cause.reason,
        "disk": cause.disk or None,
        "scheduler": about.scheduler if about else None,
        "who": cause.who,
        "bytes_per_s": cause.bytes_per_s,
        "size_bytes": cause.size_bytes,
        "text": f"{begin_text(incident)}: {description(incident)}",
        "kernel": incident.kernel,
        "command": command(incident),
    }


def _show(incidents: Sequence[Incident]) -> None:
    """Draw a line per incident, the newest last, and whether there will be more."""
    from disktuner.cli.screen import Column, Screen, table  # noqa: PLC0415
    from disktuner.vocabulary.messages import language, say  # noqa: PLC0415
    from disktuner.vocabulary.units import time  # noqa: PLC0415
    from disktuner_watch.wording import begin_text, stood_still_s, why  # noqa: PLC0415

    screen = Screen()
    if incidents:
        columns = [
            Column(text("head-incident"), "bold"),
            Column(text("head-started")),
            Column(text("head-stalled"), right=True),
            Column(text("head-why"), wraps=True),
        ]
        rows = [
            (incident.id, begin_text(incident), time(stood_still_s(incident), language().numbers), say(why(incident)))
            for incident in reversed(incidents)
        ]
        screen.show(table(columns, rows, screen.width))
        screen.show("", text("incident-more", incident=incidents[0].id))
    else:
        screen.show(text("no-incidents"))
    screen.show(text("recorder-is-on") if control.is_on() else text("recorder-is-off", command=unit.TURN_ON))


def _show_whole(incident: Incident) -> None:
    from disktuner.cli.screen import Screen, cell  # noqa: PLC0415
    from disktuner_watch.wording import begin_text, description, remedy  # noqa: PLC0415

    screen = Screen()
    screen.show(f"{begin_text(incident)}: {description(incident)}")
    if line := remedy(incident):
        screen.show_unbroken(cell(line))


def _draw(incidents: Sequence[Incident], file: Path) -> None:
    """Save the picture of the first incident. Raises ``UsageError``, ``NoSuchThing`` or ``NotSaved``."""
    from disktuner_watch.picture import incident_png  # noqa: PLC0415

    if file.suffix != ".png":
        raise UsageError("picture-is-png", file=str(file))
    if not incidents:
        raise NoSuchThing("no-incidents")
    write_chosen(file, incident_png(incidents[0], "light"))
