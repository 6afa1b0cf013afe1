# SPDX-License-Identifier: GPL-3.0-or-later
"""TuneD: a profile of our own that includes the active one, with a section for the disk that leaves it to us.

A disk belongs to the first section that wants it (``assign_free_devices`` in tuned/plugins/base.py), and sections are
asked in the order of their ``priority`` (tuned/units/manager.py, since 2.8). So a section that knows the disk by its
udev properties takes it away from the one that sets its scheduler; it has all other options of that one, and the other
disks keep what the profile gives them. ``drop=elevator`` in a section of the old name would take it from all disks, and
would reset ``devices`` (``_merge_two`` in tuned/profiles/merger.py).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from disktuner.block.sysfs import Tree
from disktuner.block.writers import Subject, Writer
from disktuner.block.writers.services import (
    TUNED_PPD,
    Section,
    active_profiles,
    profile_folders,
    takes_disk,
    tuned_sections,
)
from disktuner.block.writers.writer import is_started
from disktuner.mending.identity import identity_of
from disktuner.mending.mending import Change, Mending, NotSure, command, content_of, folders_to_make, written
from disktuner.vocabulary.messages import message

_HEADER = "# Written with Disktuner: leaves single disks to it."
_ENDING = "-disktuner"
OF_SINGLE_DISKS = "disktuner_"
"""How the names of sections begin that leave a disk to us."""

_NAME = re.compile(r"[A-Za-z0-9_.][A-Za-z0-9_.-]{0,60}")
_OPTION = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NEW_FOLDER, _OLD_FOLDER = "etc/tuned/profiles", "etc/tuned"
_SYSTEM_FOLDERS = ("usr/lib/tuned/profiles", "usr/lib/tuned")
_MODE = "etc/tuned/profile_mode"
_OPTIONS = {"queue/scheduler": ("elevator",), "queue/read_ahead_kb": ("readahead", "readahead_multiply")}


def mend_tuned(subject: Subject, writer: Writer, attributes: Collection[str]) -> Mending:
    """Return how TuneD leaves these attributes of the disk alone. Raises NotSure."""
    tree = subject.tree
    if is_started(subject, TUNED_PPD):
        raise NotSure(message("mend-tuned-ppd", place=writer.place))
    names = active_profiles(tree)
    if not names or not all(map(_NAME.fullmatch, names)):
        raise NotSure(message("mend-odd-text"))
    folder = _folder(tree)
    own = names[0] if len(names) == 1 and _is_own(tree, f"{folder}/{names[0]}/tuned.conf") else None
    child = own or _new_name(tree, names)
    path = f"{folder}/{child}/tuned.conf"
    before = content_of(tree, path) if tree.exists(path) else None
    made, gone = _folders(tree, path)
    section = _section(subject, writer, attributes)
    after = _with_section(before or _head(names, (_back(tree, names), *gone)), section)
    commands, undo = _for_file(path, before, after, made, gone)
    undo = (_back(tree, names), *undo) if own is None else (*undo, _to(child))
    return Mending(
        writer,
        message("mend-tuned", profile=child, parent=" ".join(names)) if own is None
        else message("mend-tuned-too", profile=child),
        () if before == after else (Change(f"/{path}", before, after),),
        (*commands, _to(child)),
        undo,
    )  # fmt: skip


def _folder(tree: Tree) -> str:
    """Where TuneD looks for the administrator's profiles: in a folder of their own since 2.23."""
    told = profile_folders(tree)
    if told[0] != _NEW_FOLDER or _SYSTEM_FOLDERS[0] not in told:  # chosen by profile_dirs
        if told[0] in (_NEW_FOLDER, _OLD_FOLDER):
            return told[0]
        raise NotSure(message("mend-tuned-folders"))
    if tree.is_folder(_SYSTEM_FOLDERS[0]) or not tree.is_folder(_SYSTEM_FOLDERS[1]):
        return _NEW_FOLDER
    return _OLD_FOLDER


def _is_own(tree: Tree, path: str) -> bool:
    return (tree.octets(path) or b"").startswith(_HEADER.encode())


def _is_over(tree: Tree, path: str, names: Sequence[str]) -> bool:
    return _is_own(tree, path) and _include(names) in content_of(tree, path)


def _include(names: Sequence[str]) -> str:
    return f"\ninclude={','.join(names)}\n"


def _new_name(tree: Tree, names: Sequence[str]) -> str:
    """A name that no profile has, or that of our own profile over these, from before."""
    name = "-".join(names)[: 60 - len(_ENDING)] + _ENDING
    for number in range(2, 10):
        paths = [f"{folder}/{name}/tuned.conf" for folder in profile_folders(tree)]
        taken = [path for path in paths if tree.exists(path)]
        if not taken or (len(taken) == 1 and _is_over(tree, taken[0], names)):
            return name
        name = f"{'-'.join(names)[: 58 - len(_ENDING)]}{_ENDING}-{number}"
    raise NotSure(message("mend-tuned-folders"))


def _head(names: Sequence[str], undo: Sequence[str]) -> str:
    """What the profile begins with; the way back stands in it, for whoever finds the file."""
    main = f"[main]\nsummary={' '.join(names)}, but for disks that Disktuner sets{_include(names)}"
    return f"{_HEADER}\n# To take it back: {'; '.join(undo)}\n\n{main}"


def _section(subject: Subject, writer: Writer, attributes: Collection[str]) -> str:
    """The section that takes the disk: what its present section has, without what is to be ours."""
    sections = [each for each in tuned_sections(subject.tree) if each.type == "disk"]
    certain = [each for each in sections if takes_disk(subject, each)]
    if not certain or not _has(certain[0], writer):
        raise NotSure(message("mend-tuned-section", place=writer.place))
    earlier = sections[: sections.index(certain[0])]
    if certain[0].conditional or any(takes_disk(subject, each) is None for each in earlier):
        raise NotSure(message("mend-tuned-section", place=writer.place))
    identity = identity_of(subject)
    left = {option for each in attributes for option in _OPTIONS.get(each, ())}
    options = {key: value for key, (_, _, value) in certain[0].options.items() if key not in left}
    if any(not _OPTION.fullmatch(key) or "PROFILE_DIR" in value for key, value in options.items()):
        raise NotSure(message("mend-tuned-section", place=writer.place))
    others = [each.priority for each in sections if not each.name.startswith(OF_SINGLE_DISKS)]
    priority = min(others, default=0) - 1
    head = {"type": "disk", "priority": str(priority), "devices_udev_regex": identity.pattern}
    lines = "".join(f"{key}={value}\n" for key, value in {**head, **options}.items())
    return f"[{OF_SINGLE_DISKS}{identity.value}]\n{lines}"


def _has(section: Section, writer: Writer) -> bool:
    return any((f"/{file}", line) == (writer.file, writer.line) for file, line, _ in section.options.values())


def _with_section(text: str, section: str) -> str:
    """The profile with the section in the place of an earlier one for the same disk, else at its end."""
    pieces = [f"{piece.rstrip()}\n" for piece in re.split(r"\n(?=\[)", text)]
    names = [piece.partition("\n")[0] for piece in pieces]
    name = section.partition("\n")[0]
    at = names.index(name) if name in names else len(pieces)
    return "\n".join([*pieces[:at], section, *pieces[at + 1 :]])


_Commands = tuple[str, ...]


def _folders(tree: Tree, path: str) -> tuple[_Commands, _Commands]:
    """What makes a file's folders, and what removes the file with them."""
    folders = folders_to_make(tree, path.rpartition("/")[0])
    made = (command("mkdir", "-p", folders[-1]),) if folders else ()
    gone = (command("rmdir", *reversed(folders)),) if folders else ()
    return made, (command("rm", f"/{path}"), *gone)


def _for_file(
    path: str, before: str | None, after: str, made: _Commands, gone: _Commands
) -> tuple[_Commands, _Commands]:
    if before is None:
        return (*made, written(f"/{path}", after)), gone
    return ((), ()) if before == after else ((written(f"/{path}", after),), (written(f"/{path}", before),))


def _to(profile: str) -> str:
    return command("tuned-adm", "profile", profile)


def _back(tree: Tree, names: Sequence[str]) -> str:
    if tree.text(_MODE) == "auto":
        return command("tuned-adm", "auto_profile")
    return command("tuned-adm", "profile", *names)
