# SPDX-License-Identifier: GPL-3.0-or-later
"""Who sets back what was chosen with Disktuner, and the one command with which that is ended where it is set.

Nothing here runs anything. The commands are for an administrator, with sudo, and are what the owner of the line
documents; where there is no such command, a sentence says what to do by hand. Whether it held, it is asked again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from disktuner.block.disk import Disk
from disktuner.block.udev import RULES_FILE
from disktuner.block.writers import State, Subject, Writer
from disktuner.block.writers.rivals import rivals
from disktuner.block.writers.tuned import active_profiles, tuned_sections
from disktuner.block.writers.writer import lines_of, text_of
from disktuner.vocabulary.messages import Message, message, say

_PLAIN = re.compile(r"[\w.:@/-]+", re.ASCII)
_RELOAD = "sudo udevadm control --reload"


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


def colliding(disk: Disk, writers: Sequence[Writer]) -> Writer | None:
    """Return who sets back what was chosen for good with Disktuner, or will at the next start; None where it holds.

    Of lines that may or may not meet the disk only one that set what the disk has now.
    """
    chosen = disk.persistent
    if chosen is None or disk.scheduler is None:
        return None
    for name, value in (("queue/scheduler", chosen.scheduler), *chosen.tunables.items()):
        found = rivals(disk, writers, value, for_good=True, attribute=name)
        if found and found[-1].writes:
            return found[-1]
        guilty = [each for each in found if each.sets_scheduler and each.may_set(disk.scheduler)]
        if guilty and disk.scheduler != value and disk.until_restart is None:
            return guilty[-1]
    return None


def mending_of(subject: Subject, writer: Writer) -> Mending | None:
    """Return how a line is kept from having the last word on a disk; None where it has not got that."""
    if writer.ours or not writer.acts_later or not writer.may_write:
        return None
    owner = _OWNERS.get(writer.who) if writer.state is State.ACTS and _PLAIN.fullmatch(writer.file) else None
    on_nixos = subject.tree.exists("etc/NIXOS")  # where /etc is made of another file
    mending = owner(subject, writer) if owner and not on_nixos else None
    if mending is None:
        return Mending(writer, message("fix-by-hand", place=writer.place, who=writer.who))
    if mending.commands and subject.disk.persistent:
        again = f"sudo udevadm trigger --settle --action=change /sys/block/{subject.disk.name}"
        return replace(mending, commands=(*mending.commands, again))
    return mending


def _rule(subject: Subject, writer: Writer) -> Mending | None:
    """A link that has our own rule read once more, after the other one (udev(7): in the order of their names)."""
    folder, _, own = f"/{RULES_FILE}".rpartition("/")
    name = next((each for each in ("99-zz-disktuner.rules", "zz-disktuner.rules") if each > Path(writer.file).name), "")
    if writer.is_command or not name or name in subject.tree.names(folder[1:]):
        return None
    link = f"{folder}/{name}"
    what = message("fix-rule-after", file=writer.file, link=link)
    return Mending(writer, what, (f"sudo ln -s {own} {link}", _RELOAD), (f"sudo rm {link}", _RELOAD))


def _unit(subject: Subject, writer: Writer) -> Mending | None:
    """A service of the administrator's that starts nothing else is disabled (systemctl(1))."""
    starts = [line for _, line in lines_of(subject.tree, writer.file[1:]) if line.startswith("Exec")]
    unit = writer.file.removeprefix("/etc/systemd/system/")
    if len(starts) != 1 or "/" in unit or "@" in unit:
        return None
    what = message("fix-unit", unit=unit)
    return Mending(writer, what, (f"sudo systemctl disable {unit}",), (f"sudo systemctl enable {unit}",))


def _tlp(_: Subject, writer: Writer) -> Mending | None:
    """TLP's own word for it is "keep" (tlp.conf); nobody but the administrator changes that file."""
    return Mending(writer, message("fix-tlp-line", place=writer.place))


def _tuned(subject: Subject, writer: Writer) -> Mending | None:
    """A profile that includes the active one and leaves the disk out of that section (tuned-main.conf(5))."""
    tree, disk, parents = subject.tree, subject.disk.name, active_profiles(subject.tree)
    places = ((each.name, place) for each in tuned_sections(tree) for place in each.options.values())
    section = next((name for name, (path, line, _) in places if f"/{path}:{line}" == writer.place), "")
    if not parents or not all(map(_PLAIN.fullmatch, (*parents, section, disk))):
        return None
    own = f"{'-'.join(parents)}-without-{disk}"
    folder = f"/etc/tuned/profiles/{own}" if tree.is_folder("usr/lib/tuned/profiles") else f"/etc/tuned/{own}"
    lines = f"'[main]' include={','.join(parents)} '[{section}]' type=disk 'devices=!{disk}'"
    is_auto = text_of(tree, "etc/tuned/profile_mode").strip() == "auto"
    before = "auto_profile" if is_auto else f"profile {' '.join(parents)}"
    write = f"printf '%s\\n' {lines} | sudo tee {folder}/tuned.conf >/dev/null"
    return Mending(
        writer,
        message("fix-tuned", profile=own, parent=" ".join(parents)),
        (f"sudo mkdir -p {folder}", write, f"sudo tuned-adm profile {own}"),
        (f"sudo tuned-adm {before}", f"sudo rm -r {folder}"),
    )


_OWNERS = {"udev": _rule, "systemd": _unit, "tlp": _tlp, "tuned": _tuned}
