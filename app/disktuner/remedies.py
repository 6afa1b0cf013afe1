# SPDX-License-Identifier: GPL-3.0-or-later
"""Who overrides what is chosen with Disktuner, and the one command with which that is ended where it is set.

Nothing here runs anything. The commands are for an administrator, with sudo, and are what the owner of the line
documents; where there is no such command, a sentence says what to do by hand. Whether it held, it is asked again.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from disktuner.block.disk import Disk, udev_name
from disktuner.block.rule_files import OLD_RULES
from disktuner.block.sysfs import lines_of, text_of
from disktuner.block.tuned import active_profile, active_profiles
from disktuner.block.writers import LineState, Subject, Writer
from disktuner.vocabulary.messages import Message, message, say
from disktuner.vocabulary.settings import Setting, known_setting
from disktuner.vocabulary.tunables import file_of


def rivals(
    disk: Disk, writers: Sequence[Writer], chosen: int | str, *, for_good: bool, attribute: str = "queue/scheduler"
) -> tuple[Writer, ...]:
    """Return those that do not leave a disk with what Disktuner sets; the last has the last word.

    With ``for_good`` those that act after our own rule at a start of the computer; else those that act again before
    the next one, whenever udev sees the disk change.
    """
    rival_writers: list[Writer] = []
    for writer in reversed(writers):
        if for_good and writer.repeats_ours:
            break
        acts = writer.may_write and (writer.acts_later if for_good else writer.on_change)
        if acts and not writer.ours and writer.attribute == attribute:
            rival_writers += [] if writer.leaves(chosen) or not writer.is_taken_by(disk) else [writer]
            if writer.writes:
                break
    return tuple(reversed(rival_writers))


def warnings(disk: Disk, writers: Sequence[Writer], wanted: Setting, *, for_good: bool) -> tuple[Message, ...]:
    """Return which rival sets what of a setting otherwise, and when, the scheduler's last word last."""
    when = "at-start" if for_good else "on-change"
    notes = [message("nixos-keeps-no-rule", lines=nix_of(disk, wanted))] if for_good and disk.is_declared else []
    wishes: dict[str, int | str] = {**wanted.values, "queue/scheduler": wanted.scheduler}
    for name, value in wishes.items():
        what = "" if name == "queue/scheduler" else "-tunable"
        for rival in rivals(disk, writers, value, for_good=for_good, attribute=name):
            how = f"rival-{'sets' if rival.writes else 'may-set'}{what}-{when}"
            named = {"name": name.removeprefix("iosched/")} if what else {}
            notes.append(message(how, place=rival.place, who=rival.who, value=rival.value, **named))
    return tuple(notes)


_PLAIN = re.compile(r"[\w.:@/-]+", re.ASCII)
_DEVICES = re.compile(r"[\w.*?!\[\] ,-]+", re.ASCII)


def nix_of(disk: Disk, wanted: Setting) -> str:
    """Return what NixOS is told to have a disk's setting at every start: it makes its rules of its configuration.

    Its own rules for schedulers are 98-block-io-scheduler.rules, extraRules are read later, as 99-local.rules.
    """
    name = udev_name(disk.name)
    known = f'{_key_of(disk.wwn)}=="{disk.wwn}"' if _PLAIN.fullmatch(disk.wwn) else f'KERNEL=="{name}"'
    wishes = {"queue/scheduler": wanted.scheduler, **wanted.values}
    sets = ", ".join(f'ATTR{{{file_of(name)}}}="{value}"' for name, value in wishes.items())
    return f"services.udev.extraRules = ''\n  ACTION==\"add|change\", SUBSYSTEM==\"block\", {known}, {sets}\n'';"


def _key_of(wwn: str) -> str:
    """Return the key by which udev knows a WWN: of a longer one ID_WWN has only the first half (NAA 6, as of arrays).

    The kernel's ``naa.`` is only read where udev knows none.
    """
    if wwn.startswith("naa."):
        return "ATTRS{wwid}"
    return "ENV{ID_WWN_WITH_EXTENSION}" if re.fullmatch(r"0x[0-9a-fA-F]{17,}", wwn) else "ENV{ID_WWN}"


_RELOAD = "sudo udevadm control --reload"


@dataclass(frozen=True, slots=True)
class Remedy:
    """How the line of a writer is kept from setting a disk back.

    ``what`` says what is done, or, where there are no ``commands``, what to do by hand. ``commands`` are for a shell,
    one after the other, and ``undo`` takes them back.
    """

    writer: Writer
    what: Message
    commands: tuple[str, ...] = ()
    undo: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As ``--json`` prints it."""
        return {"what": say(self.what), "place": self.writer.place, "commands": self.commands, "undo": self.undo}


def colliding(disk: Disk, writers: Sequence[Writer]) -> Writer | None:
    """Return who sets back what was chosen for good with Disktuner, or will at the next start; None where it holds.

    Of lines that may or may not meet the disk only one that set what the disk has now.
    """
    chosen = disk.persistent
    if chosen is None or disk.scheduler is None:
        return None
    for name, value in {"queue/scheduler": chosen.scheduler, **chosen.tunables}.items():
        is_lost = name == "queue/scheduler" and disk.scheduler != value and disk.until_restart is None
        for rival in reversed(rivals(disk, writers, value, for_good=True, attribute=name)):
            if rival.writes or (is_lost and rival.may_set(disk.scheduler)):
                return rival
    return None


def remedy_of(subject: Subject, writer: Writer) -> Remedy | None:
    """Return how a line is kept from having the last word on a disk; None where it has not got that."""
    if writer.ours or not writer.acts_later or not writer.may_write:
        return None
    is_known = writer.who in _REMEDIES and writer.state in (LineState.ACTS, LineState.OPEN)
    chosen = subject.disk.persistent
    if subject.disk.is_declared and chosen:
        lines = nix_of(subject.disk, known_setting(chosen.scheduler, chosen.tunables))
        return Remedy(writer, message("fix-nixos", place=writer.place, lines=lines))
    is_plain = _PLAIN.fullmatch(writer.file) and not subject.disk.is_declared
    remedy = _REMEDIES[writer.who](subject, writer) if is_known and is_plain else None
    if remedy is None:
        return Remedy(writer, message("fix-by-hand", place=writer.place, who=writer.who))
    disk = shlex.quote(f"/sys/block/{subject.disk.name}")
    again = f"sudo udevadm trigger --settle --action=change {disk}"
    return replace(remedy, commands=(*remedy.commands, again)) if remedy.commands else remedy


def _rule(subject: Subject, writer: Writer) -> Remedy | None:
    """A link that has our own rule read once more, after the other one (udev(7): in the order of their names)."""
    if writer.file == f"/{OLD_RULES}":
        aside = f"{writer.file}.old"
        commands = (f"sudo mv {writer.file} {aside}", _RELOAD), (f"sudo mv {aside} {writer.file}", _RELOAD)
        return Remedy(writer, message("fix-old-rules", file=writer.file), *commands)
    if not (chosen := subject.disk.persistent):
        return None
    our_rule = Path(chosen.file)
    link = our_rule.with_name(our_rule.name.replace("90-", "99-zz-", 1))
    if writer.is_command or Path(writer.file).name > link.name or subject.tree.link(str(link)[1:]):
        return None
    what = message("fix-rule-after", file=writer.file, link=str(link))
    make = shlex.join(("sudo", "ln", "-s", our_rule.name, str(link)))
    return Remedy(writer, what, (make, _RELOAD), (shlex.join(("sudo", "rm", str(link))), _RELOAD))


_ONE_COMMAND = re.compile(r"(?:(?!/sys/|/dev/)[^;&{}\\])*/(?:sys|dev)/(?:(?!/sys/|/dev/)[^;&{}\\])*")
"""A line with one command for one file."""


def _unit(subject: Subject, writer: Writer) -> Remedy | None:
    """A service of the administrator's that does nothing else is disabled (systemctl(1)).

    One that only a timer or another unit starts cannot be disabled, as it has no [Install].
    """
    tree, unit = subject.tree, writer.file.removeprefix("/etc/systemd/system/")
    lines = [line for _, line in lines_of(tree, writer.file)]
    starts = [line for line in lines if line.startswith("Exec")]
    is_wanted = any(re.match(r"(?:WantedBy|RequiredBy)\s*=\s*\S", line) for line in lines)
    if len(starts) != 1 or not _ONE_COMMAND.fullmatch(starts[0]) or not is_wanted or "/" in unit or "@" in unit:
        return None
    if tree.is_file(f"etc/systemd/system/{unit.removesuffix('.service')}.timer"):
        return None
    what = message("fix-unit", unit=unit)
    return Remedy(writer, what, (f"sudo systemctl disable {unit}",), (f"sudo systemctl enable {unit}",))


def _tuned(subject: Subject, writer: Writer) -> Remedy | None:
    """A profile that includes the active one and leaves the disk out of that section (tuned-main.conf(5)).

    The devices of a section are not inherited, so those of the active profile are named once more.
    """
    tree, disk, parents = subject.tree, subject.disk.name, active_profiles(subject.tree)
    active = active_profile(tree)
    name = next((option.section for option in active.options if f"{option.file}:{option.line}" == writer.place), "")
    section = active.sections.get(name)
    if section is None or section.type != "disk" or section.by_udev or not _DEVICES.fullmatch(section.devices):
        return None
    if not parents or not all(map(_PLAIN.fullmatch, (*parents, name, disk))):
        return None
    devices = "" if section.devices == "*" else f"{','.join(re.split(r'[ ,]+', section.devices))},"
    profile = f"{'-'.join(parents)}-without-{disk}"
    folder = f"/etc/tuned/profiles/{profile}" if tree.is_folder("usr/lib/tuned/profiles") else f"/etc/tuned/{profile}"
    lines = f"'[main]' include={','.join(parents)} '[{name}]' type=disk 'devices={devices}!{disk}'"
    is_auto = text_of(tree, "etc/tuned/profile_mode").strip() == "auto"
    before = "auto_profile" if is_auto else f"profile {' '.join(parents)}"
    write = f"printf '%s\\n' {lines} | sudo tee {folder}/tuned.conf >/dev/null"
    return Remedy(
        writer,
        message("fix-tuned", profile=profile, parent=" ".join(parents)),
        (f"sudo mkdir -p {folder}", write, f"sudo tuned-adm profile {profile}"),
        (f"sudo tuned-adm {before}", f"sudo rm -r {folder}"),
    )


def _tlp(_: Subject, writer: Writer) -> Remedy:
    """Its own word for it is "keep" (linrunner.de/tlp, DISK_IOSCHED)."""
    return Remedy(writer, message("fix-tlp-line", place=writer.place))


def _of_database(_: Subject, writer: Writer) -> Remedy:
    return Remedy(writer, message("fix-database", place=writer.place, who=writer.who))


def _of_cloud(_: Subject, writer: Writer) -> Remedy:
    """An attribute of the virtual machine (google_guest_agent, DisableIOScheduler)."""
    return Remedy(writer, message("fix-cloud-agent"))


_REMEDIES = {
    "udev": _rule,
    "systemd": _unit,
    "tuned": _tuned,
    "tlp": _tlp,
    "scylla": _of_database,
    "redpanda": _of_database,
    "google-guest-agent": _of_cloud,
}
