# SPDX-License-Identifier: GPL-3.0-or-later
"""udev rules: our own rule read once more after the other one, or the disk left out of a command."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from disktuner.block.sysfs import Tree
from disktuner.block.udev import RULES_FILE, logical_lines
from disktuner.block.writers import Subject, Writer
from disktuner.block.writers.udev_rules import RULES, tokens_of
from disktuner.mending.identity import identity_of
from disktuner.mending.mending import Change, Mending, command, edited, is_continued, line_of, only_by_hand
from disktuner.vocabulary.messages import message

_FOLDER, _, _OWN = RULES_FILE.rpartition("/")
_KNOWN_FROM = "60-persistent-storage.rules"  # which finds out ID_WWN, ID_SERIAL and ID_PATH
_RELOAD = ("udevadm", "control", "--reload")


def mend_rule(subject: Subject, writer: Writer, writers: Sequence[Writer]) -> Mending:
    """Return how the rule no longer has the last word on the disk. Raises NotSure."""
    return _without_disk(subject, writer) if writer.is_command else _ours_after(subject.tree, writer, writers)


def _ours_after(tree: Tree, writer: Writer, writers: Sequence[Writer]) -> Mending:
    """A link that brings our rule after all that set queues: it says what our rule says, whatever that will be."""
    names = [Path(each.file).name for each in writers if each.who == "udev" and not each.ours and not each.is_command]
    last = max([Path(writer.file).name, *names])
    there = {name for folder in RULES.folders for name in tree.names(folder)}
    wanted = ("99-zz-disktuner.rules", "zz-disktuner.rules", f"{last.removesuffix('.rules')}_disktuner.rules")
    name = next((each for each in wanted if each > last and each not in there), None)
    if name is None:
        raise only_by_hand(writer)
    link = f"/{_FOLDER}/{name}"
    reload = command(*_RELOAD)
    return Mending(
        writer,
        message("mend-rule-after", file=writer.file, link=link),
        (Change(link, None, _OWN, is_link=True),),
        (command("ln", "-s", _OWN, link), reload),
        (command("rm", link), reload),
    )


def _without_disk(subject: Subject, writer: Writer) -> Mending:
    """The rule's line with one condition more, where the line does nothing but start the command."""
    tree, path = subject.tree, writer.file.lstrip("/")
    line = line_of(tree, path, writer.line)
    whole = dict(logical_lines("\n".join(["#"] * (writer.line - 1) + [line]))).get(writer.line)
    tokens = tokens_of(line)
    does = [token for token in tokens if not token.decides]
    if (
        whole != line
        or not path.startswith(f"{_FOLDER}/")
        or Path(path).name <= _KNOWN_FROM
        or is_continued(tree, path, writer.line)
        or [token.key for token in does] != ["RUN"]
    ):
        raise only_by_hand(writer)
    identity = identity_of(subject)
    edit = edited(tree, path, writer.line, f'ENV{{{identity.key}}}!="{identity.value}", {line}')
    reload = command(*_RELOAD)
    return Mending(
        writer, message("mend-rule-without", place=writer.place), (edit.change,), (edit.do, reload), (edit.undo, reload)
    )
