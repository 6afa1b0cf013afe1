# SPDX-License-Identifier: GPL-3.0-or-later
"""TLP: ``keep`` for the disk in the list of schedulers.

``/etc/tlp.conf`` is read after all of ``/etc/tlp.d`` and has the last word (tlp-readconfs): a list that stands there is
changed there, one that stands in ``/etc/tlp.d`` is replaced by a later file of ours.
"""

from __future__ import annotations

from pathlib import Path

from disktuner.block.sysfs import Tree
from disktuner.block.writers import Subject, Writer
from disktuner.block.writers.services import TLP, TLP_FILES, is_tlps_name, tlp_settings
from disktuner.mending.mending import Change, Mending, command, edited, line_of, only_by_hand, written
from disktuner.vocabulary.messages import message

_FOLDER = TLP.folders[0]
_NAMES = ("90-disktuner.conf", "99-disktuner.conf", "zz-disktuner.conf")
_START = ("tlp", "start")


def mend_tlp(subject: Subject, writer: Writer) -> Mending:
    """Return how TLP keeps the disk's scheduler. Raises NotSure."""
    tree, path = subject.tree, writer.file.lstrip("/")
    settings = tlp_settings(subject)
    devices, schedulers = settings["DISK_DEVICES"][2].split(), settings["DISK_IOSCHED"][2].split()
    kept = ["keep" if device and is_tlps_name(subject, device) else scheduler
            for device, scheduler in zip([*devices, *[""] * len(schedulers)], schedulers, strict=False)]  # fmt: skip
    line = f'DISK_IOSCHED="{" ".join(kept)}"'
    start = command(*_START)
    if path in TLP_FILES or Path(path).name in _NAMES:
        old = line_of(tree, path, writer.line)
        if not old.startswith("DISK_IOSCHED="):  # one that adds to what stood elsewhere
            raise only_by_hand(writer)
        edit = edited(tree, path, writer.line, line)
        return Mending(writer, message("mend-tlp-line"), (edit.change,), (edit.do, start), (edit.undo, start))
    own = f"/{_FOLDER}/{_own_name(tree, writer)}"
    undo = (command("rm", own), start)
    head = "# Written with Disktuner: it sets the schedulers of disks that are kept here."
    content = f"{head}\n# To take it back: {'; '.join(undo)}\n{line}\n"
    what = message("mend-tlp-file", file=own)
    do = (written(own, content), start)
    return Mending(writer, what, (Change(own, None, content),), do, undo)


def _own_name(tree: Tree, writer: Writer) -> str:
    """A name that is read after the file whose list counts, and is free."""
    there, last = tree.names(_FOLDER), Path(writer.file).name
    for name in _NAMES:
        if name > last and name not in there:
            return name
    raise only_by_hand(writer)
