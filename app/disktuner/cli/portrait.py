# SPDX-License-Identifier: GPL-3.0-or-later
"""``portrait``: where a disk's fast cache ends, and what remains."""

from __future__ import annotations

import argparse
from pathlib import Path

from disktuner.block.system import System
from disktuner.cli.asking import ask_to_write
from disktuner.cli.progress import Progress, run_cancellable
from disktuner.cli.screen import Screen, cell
from disktuner.cli.streams import print_json, remark
from disktuner.comparison.portrait import Announced, Portraying
from disktuner.comparison.target import find_disk
from disktuner.experiment.events import EndedEarly, Event, Phase
from disktuner.presentation.portrait import ShownPortrait, document, shown
from disktuner.results.portrait import Portrait, Portraits
from disktuner.results.store import try_place
from disktuner.vocabulary.errors import NoSuchThing, UsageError
from disktuner.vocabulary.messages import message, text
from disktuner.writing import write_chosen

PICTURES = (".png", ".svg")


def add_portrait(parser: argparse.ArgumentParser) -> None:
    """Declare ``portrait``."""
    parser.add_argument("target", metavar="TARGET", help=text("help-target"))
    parser.add_argument("--last", action="store_true", help=text("help-portrait-last"))
    parser.add_argument("--yes", action="store_true", help=text("help-portrait-yes"))
    parser.add_argument("--image", type=Path, metavar="FILE", help=text("help-portrait-image"))
    parser.add_argument("--json", action="store_true", help=text("help-json"))
    parser.set_defaults(run=run_portrait)


def run_portrait(args: argparse.Namespace) -> int:
    """Announce, ask if writing wears the disk, measure, print."""
    if args.image:
        if args.image.suffix.lower() not in PICTURES:
            raise UsageError("unknown-format", name=args.image.name, suffixes=PICTURES)
        try_place(args.image)
    portrait = _last(args.target) if args.last else _measured(args.target, may_write=args.yes)
    try:
        if args.json:
            print_json(document(portrait))
        else:
            _show(Screen(), shown(portrait))
    finally:  # an output that is gone does not cost the picture
        if args.image:
            _draw(portrait, args.image)
    return 0


def _last(target: str) -> Portrait:
    """Return the newest portrait of a disk. Raises ``NoSuchThing``."""
    disk = find_disk(target, System())
    portrait = Portraits().newest_of(disk)
    if portrait is None:
        raise NoSuchThing("no-portrait", disk=disk.title, name=disk.name)
    return portrait


def _measured(target: str, *, may_write: bool) -> Portrait:
    portraying = Portraying(target, System(), Portraits())
    progress = Progress()

    def listen(event: Event) -> None:
        if isinstance(event, EndedEarly):
            remark(text("portrait-kept", name=target))
        else:
            progress(event)

    try:
        progress(Phase(message("probing")))
        announced = run_cancellable(lambda: portraying.announce(progress), portraying.cancel)
        announce(announced, may_write=may_write)
        return run_cancellable(lambda: portraying.run(announced, listen), portraying.cancel)
    finally:
        progress.close()


def announce(announced: Announced, *, may_write: bool) -> None:
    """Say what will be written, and ask if that wears the disk. Raises ``UsageError`` or ``Cancelled``."""
    disk, most = announced.target.disk, announced.most_bytes
    folder = str(announced.target.folder)
    remark(text("portrait-plan", disk=disk.title, folder=folder, most=most, seconds=announced.pace.whole_s))
    if disk.kind.wears and not may_write:
        ask_to_write(disk, most, announced.share)


def _show(screen: Screen, portrait: ShownPortrait) -> None:
    screen.show(cell(portrait.heading), cell(portrait.title, "bold"))
    for sentence in portrait.sentences:
        screen.show_indented(f"  {sentence}")
    if portrait.reads:
        screen.show(text("portrait-reads"))
        for reads in portrait.reads:
            screen.show_indented(f"  {reads.value}  {reads.label}")
    for sentence in (*portrait.says, *portrait.problems):
        screen.show_indented(sentence)


def _draw(portrait: Portrait, file: Path) -> None:
    """Save the picture. Raises ``NotSaved``."""
    from disktuner.drawing.portrait import portrait_png, portrait_svg  # noqa: PLC0415 - Qt

    is_svg = file.suffix.lower() == ".svg"
    data = portrait_svg(shown(portrait), "light").encode() if is_svg else portrait_png(shown(portrait), "light")
    write_chosen(file, data)
