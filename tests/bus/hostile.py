# SPDX-License-Identifier: GPL-3.0-or-later
# ruff: noqa: RUF001, E501 look-alike letters are the point
"""The hostile caller itself: sends messages none of which may be obeyed, in batches of 3 or of 60.

    hostile.py DISK DISKSEQ TRIAL COUNT

Says "sent" after each batch, when none of it is answered yet, and waits for a line before it takes the answers. Prints
as JSON how many messages were accepted.
"""

from __future__ import annotations

import json
import random
import sys
from typing import Any

import gi

gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib  # noqa: E402

NAME = "org.disktuner.Helper1"
PATH = "/org/disktuner/Helper1"
# As many as are let in for one caller, and far more than that.
AT_ONCE = (3, 60)
TEXTS = (
    "", ".", "..", "../vda", "/dev/sda", "sda1", "loop*", "loop?", "[a-z]", "nul\u0001l", "new\nline", "tab\t", "ü", "𝔰𝔡𝔞",
    "sda;reboot", "$(reboot)", "`id`", "%s%n", "a" * 33, "x" * 100_000, "vda/../vda", "mapper/root", "\u202evda", '"', "'",
    "none ", " none", "bfq\n", "BFQ", "cfq", "-1", "0x10", "1e3", "９", "queue/../../x", "queue/scheduler", "iosched/",
    "queue/nomerges ", "device/delete",
)  # fmt: skip
METHODS = {
    "Set": "DsTb",
    "Insist": "DsT",
    "Revert": "D",
    "Forget": "D",
    "Undo": "D",
    "BeginTrial": "D",
    "SetTrial": "sssT",
    "KeepTrial": "sb",
    "EndTrial": "s",
    "BeginFieldTrial": "DWt",
    "SetFieldTrial": "su",
    "EndFieldTrial": "s",
}
TYPES = {"D": "a(st)", "T": "a{ss}", "W": "a(sa{ss})"}

WRONG = (
    GLib.Variant("()", ()),
    GLib.Variant("(i)", (-1,)),
    GLib.Variant("(as)", (["x"] * 1000,)),
    GLib.Variant("(v)", (GLib.Variant("(ss)", ("a", "b")),)),
    GLib.Variant("(ssss)", ("a", "b", "c", "d")),
    GLib.Variant("(s)", ("y" * 200_000,)),
)


class Attack:
    """Sends only requests that must not be granted."""

    def __init__(self, disk: str, diskseq: int, trial: str) -> None:
        self.bus = Gio.bus_get_sync(Gio.BusType.SYSTEM, None)
        self.loop = GLib.MainLoop()
        self.random = random.Random(1)
        self.disk, self.diskseq, self.trial = disk, diskseq, trial
        self.waiting, self.accepted = 0, 0

    def batch(self, size: int) -> None:
        """Send so many requests at once, and take the answers when told to."""
        self.waiting = size
        for _ in range(size):
            method, values = self.message()
            self.bus.call(NAME, PATH, NAME, method, values, None, Gio.DBusCallFlags.NONE, -1, None, self.answered)
        self.names()
        self.bus.flush_sync(None)
        print("sent", flush=True)
        sys.stdin.readline()
        self.loop.run()

    def answered(self, bus: Gio.DBusConnection, result: Gio.AsyncResult) -> None:
        try:
            bus.call_finish(result)
            self.accepted += 1
        except GLib.Error:
            pass
        self.waiting -= 1
        if not self.waiting:
            self.loop.quit()

    def message(self) -> tuple[str, GLib.Variant]:
        method = self.random.choice([*METHODS, "NoSuchMethod"])
        if method == "NoSuchMethod" or self.random.random() < 0.2:
            return method, self.wrong_types()
        if method == "SetTrial" and self.random.random() < 0.5:
            tunables = {self.random.choice(TEXTS[:-1]): "0"} if self.random.random() < 0.5 else {"queue/nomerges": "1"}
            return method, GLib.Variant("(sssa{ss})", (self.trial, self.disk, "bfq", tunables))
        if method == "EndTrial" and self.random.random() < 0.5:
            return method, GLib.Variant("(s)", (self.trial,))
        types = "".join(TYPES.get(kind, kind) for kind in METHODS[method])
        return method, GLib.Variant(f"({types})", tuple(self.value(kind) for kind in METHODS[method]))

    def value(self, kind: str) -> Any:
        if kind in "tu":
            return self.random.choice([0, 1, 2**32 - 1])
        if kind == "W":
            return [(self.text(), self.value("T")) for _ in range(self.random.choice([0, 1, 2, 40]))]
        if kind == "b":
            return self.random.random() < 0.5
        if kind == "T":
            return {self.text(): self.text() for _ in range(self.random.choice([1, 1, 1, 3, 40]))}
        if kind == "D":  # none at all would be all disks, which some may have put back
            number = self.random.choice([0, self.diskseq + 1, 2**64 - 1])
            return [(self.text() or "x", number)] * self.random.choice([1, 1, 1, 2, 40])
        return self.text()

    def text(self) -> str:
        if self.random.random() < 0.7:
            return self.random.choice(TEXTS)
        return "".join(chr(self.random.choice([10, 33, 42, 46, 47, 92, 0x20AC, 0x1F600])) for _ in range(9))

    def wrong_types(self) -> GLib.Variant:
        return self.random.choice(WRONG)

    def names(self) -> None:
        """Take and drop bus names meanwhile, the helper's too."""
        for name in ("org.disktuner.Attack", NAME):
            for method in ("RequestName", "ReleaseName"):
                arguments = GLib.Variant("(su)", (name, 7)) if method == "RequestName" else GLib.Variant("(s)", (name,))
                bus = "org.freedesktop.DBus"
                self.bus.call(bus, "/", bus, method, arguments, None, Gio.DBusCallFlags.NONE, -1, None, None)


def main() -> None:
    disk, diskseq, trial, count = sys.argv[1:]
    attack, left = Attack(disk, int(diskseq), trial), int(count)
    while left > 0:
        size = min(left, AT_ONCE[left < int(count) * 7 // 8])
        attack.batch(size)
        left -= size
    print(json.dumps({"accepted": attack.accepted}))


if __name__ == "__main__":
    main()
