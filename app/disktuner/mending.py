# SPDX-License-Identifier: GPL-3.0-or-later
"""Who sets back what was chosen with Disktuner, and the one command with which that is ended where it is set.

Nothing here runs anything. The commands are for an administrator, with sudo, and are what the owner of the line
documents; where there is no such command, a sentence says what to do by hand. Whether it held, it is asked again.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from disktuner.block.disk import Disk
from disktuner.block.sysfs import Tree
from disktuner.block.udev import RULES_FILE
from disktuner.block.writers import State, Subject, Writer
from disktuner.block.writers.rivals import NAMES, rivals
from disktuner.block.writers.tuned import active_profiles, tuned_sections
from disktuner.block.writers.writer import lines_of, text_of
from disktuner.vocabulary.messages import Message, message, say

_PLAIN = re.compile(r"[\w.:@-]+", re.ASCII)
_UNITS = "/etc/systemd/system/"
_RELOAD = ("udevadm", "control", "--reload")


@dataclass(frozen=True, slots=True)
class Mending:
    """How the line of a writer is kept from setting a disk back.

    ``what`` says what is done, or, where there are no ``commands``, what to do by hand. ``commands`` are for a shell,
    one after the other, and ``undo`` takes them back.
    """

    writer: Writer
    what: Message
    commands: tuple[str, ...] = ()
    undo: tuple[str, ...] = ()


def mending_to_json(mending: Mending) -> dict[str, Any]:
    """As ``--json`` prints it."""
    return {
        "what": say(mending.what),
        "place": mending.writer.place,
        "commands": list(mending.commands),
        "undo": list(mending.undo),
    }


def colliding(disk: Disk, writers: Sequence[Writer], tree: Tree) -> Writer | None:
    """Return who sets back what was chosen for good with Disktuner, or will at the next start; None where it holds.

    Of lines that may or may not meet the disk only one that set what the disk has now.
    """
    chosen = disk.persistent
    if chosen is None or disk.scheduler is None:
        return None
    found = rivals(disk, writers, chosen.scheduler, for_good=True)
    if found and found[-1].writes:
        return found[-1]
    if disk.scheduler != chosen.scheduler and disk.until_restart is None:
        guilty = [each for each in found if each.may_set(disk.scheduler)]
        if guilty:
            return guilty[-1]
    return next(filter(None, (_of_tunable(writers, tree, *pair) for pair in chosen.tunables.items())), None)


def _of_tunable(writers: Sequence[Writer], tree: Tree, name: str, value: int | str) -> Writer | None:
    """The last line that sets a chosen tunable to something else, with certainty."""
    later = [each for each in writers if each.attribute == name and each.acts_later and each.writes]
    last = later[-1] if later else None
    if last is None or last.ours or last.may_set(value) or _only_raises(last, tree, value):
        return None
    return last


def _only_raises(writer: Writer, tree: Tree, chosen: int | str) -> bool:
    """TuneD's ``readahead=>4096`` leaves more alone (``_process_assignment_modifiers`` in tuned/plugins/base.py)."""
    line = dict(lines_of(tree, writer.file.lstrip("/"))).get(writer.line, "") if writer.who == "tuned" else ""
    return (
        line.partition("=")[2].strip().startswith(">") and writer.value.isdecimal() and int(chosen) >= int(writer.value)
    )


def mending_of(subject: Subject, writer: Writer) -> Mending | None:
    """Return how a line is kept from having the last word on a disk; None where it has not got that."""
    if writer.ours or not writer.acts_later or not writer.may_write:
        return None
    known = writer.state is State.ACTS and _PLAIN.fullmatch(writer.file.replace("/", "")) is not None
    known = known and not subject.tree.exists("etc/NIXOS")  # where /etc is made of another file
    mend = _OWNERS.get(writer.who) if known else None
    mending = mend(subject, writer) if mend else None
    if mending is None:
        return Mending(writer, message("mend-by-hand", place=writer.place, who=NAMES.get(writer.who, writer.who)))
    again = _sudo("udevadm", "trigger", "--settle", "--action=change", f"/sys/block/{subject.disk.name}")
    commands = (*mending.commands, again) if mending.commands and subject.disk.persistent else mending.commands
    return Mending(writer, mending.what, commands, mending.undo)


def _sudo(*words: str) -> str:
    return shlex.join(("sudo", *words))


def _rule(subject: Subject, writer: Writer) -> Mending | None:
    """A link that has our own rule read once more, after the other one (udev(7): in the order of their names)."""
    folder, _, own = f"/{RULES_FILE}".rpartition("/")
    name = next(
        (each for each in ("99-zz-disktuner.rules", "zz-disktuner.rules") if each > Path(writer.file).name), None
    )
    if writer.is_command or name is None or name in subject.tree.names(folder[1:]):
        return None
    link, reload = f"{folder}/{name}", _sudo(*_RELOAD)
    what = message("mend-rule-after", file=writer.file, link=link)
    return Mending(writer, what, (_sudo("ln", "-s", own, link), reload), (_sudo("rm", link), reload))


def _unit(subject: Subject, writer: Writer) -> Mending | None:
    """A service of the administrator's that starts nothing else is disabled (systemctl(1))."""
    starts = [line for _, line in lines_of(subject.tree, writer.file[1:]) if line.startswith("Exec")]
    name = writer.file.removeprefix(_UNITS)
    if not writer.file.startswith(_UNITS) or "/" in name or "@" in name or len(starts) != 1:
        return None
    return Mending(writer, message("mend-unit", unit=name), (_sudo("systemctl", "disable", name),),
                   (_sudo("systemctl", "enable", name),))  # fmt: skip


def _tlp(_: Subject, writer: Writer) -> Mending | None:
    """TLP's own word for it is "keep" (tlp.conf); nobody but the administrator changes that file."""
    return Mending(writer, message("mend-tlp-line", place=writer.place))


def _tuned(subject: Subject, writer: Writer) -> Mending | None:
    """A profile that includes the active one and leaves the disk out of that section (tuned-main.conf(5))."""
    names = active_profiles(subject.tree)
    places = ((each.name, place) for each in tuned_sections(subject.tree) for place in each.options.values())
    section = next((name for name, place in places if (f"/{place[0]}", place[1]) == (writer.file, writer.line)), "")
    if not names or not all(map(_PLAIN.fullmatch, (*names, section, subject.disk.name))):
        return None
    own = f"{'-'.join(names)}-without-{subject.disk.name}"
    base = "/etc/tuned/profiles" if subject.tree.is_folder("usr/lib/tuned/profiles") else "/etc/tuned"
    lines = ("[main]", f"include={','.join(names)}", f"[{section}]", "type=disk", f"devices=!{subject.disk.name}")
    written = f"printf '%s\\n' {shlex.join(lines)} | sudo tee {base}/{own}/tuned.conf >/dev/null"
    mode = (
        ("auto_profile",) if text_of(subject.tree, "etc/tuned/profile_mode").strip() == "auto" else ("profile", *names)
    )
    return Mending(
        writer,
        message("mend-tuned", profile=own, parent=" ".join(names)),
        (_sudo("mkdir", "-p", f"{base}/{own}"), written, _sudo("tuned-adm", "profile", own)),
        (_sudo("tuned-adm", *mode), _sudo("rm", "-r", f"{base}/{own}")),
    )


_OWNERS = {"udev": _rule, "systemd unit": _unit, "tlp": _tlp, "tuned": _tuned}
