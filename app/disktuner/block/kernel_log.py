# SPDX-License-Identifier: GPL-3.0-or-later
"""The kernel log, as far as this user may read it: a disk's errors, resets and recoveries."""

from __future__ import annotations

import re
from collections.abc import Iterator

from disktuner.block.asking import Ask
from disktuner.block.sysfs import Tree

_KMSG = "dev/kmsg"
_ATA, _USB = re.compile(r"/ata(\d+)/"), re.compile(r".*/(\d+-[\d.]+):\d+\.\d+/")
_HOST, _CARD = re.compile(r"/host(\d+)/"), re.compile(r"/mmc_host/(mmc\d+)/")


def read_kernel_log(tree: Tree, ask: Ask | None = None) -> str:
    """Return the log since boot; empty if this user may not read it.

    With ``ask``, falls back to the journal if the kernel restricts its log to root (kernel.dmesg_restrict).
    """
    said = tree.records(_KMSG)
    if said is not None:
        return said.decode("utf-8", "replace")
    return (ask("journalctl", "--dmesg", "--boot", "--output=cat", "--no-pager") if ask else None) or ""


def card_recoveries(log: str, path: str) -> int:
    """Return how often the command queue of a card's host had to recover (drivers/mmc/core/queue.c)."""
    card = _CARD.search(path)
    return len(re.findall(rf"\b{card[1]}: running CQE recovery", log)) if card else 0


def uas_resets(log: str, path: str) -> int:
    """Return how often a UAS disk was reset as it did not answer (drivers/usb/storage/uas.c)."""
    host = _HOST.search(path)
    return len(re.findall(rf"scsi host{host[1]}: uas_eh_device_reset_handler start", log)) if host else 0


def last_trouble(log: str, name: str, path: str) -> int:
    """Return the number, from 1, of the last record on an error or reset of a disk; 0 without any.

    ``log`` is from /dev/kmsg (Documentation/ABI/testing/dev-kmsg), ``path`` is the link in ``/sys/block``. A count of
    records would not show a new one, as a full log loses its oldest.
    """
    trouble = re.compile("|".join(_troubles(name, path)))
    last = next(filter(trouble.search, reversed(log.splitlines())), "")
    number = re.match(r"\d+,(\d+),", last)
    return int(number[1]) + 1 if number else 0


def _troubles(name: str, path: str) -> Iterator[str]:
    disk = re.escape(name).replace("!", "[!/]")  # sysfs writes "!" for a slash, the log does not
    yield rf"error, dev {disk}[ ,]"
    yield rf"\[{disk}\].* (?:uas_eh_\w+|FAILED Result)"
    yield rf"\b{disk}: (?:error|timed out)"
    if controller := re.match(r"nvme\d+", name):
        yield rf"nvme {controller[0]}: (?:I/O .*timeout|.*resetting controller|.*controller is down)"
    if ata := _ATA.search(path):
        yield rf"\bata{ata[1]}(?:\.\d\d)?: (?:exception Emask|hard resetting link|soft resetting link)"
    if card := _CARD.search(path):
        yield rf"\b{card[1]}: (?:running CQE recovery|error -\d+|Timeout waiting)"
    if usb := _USB.match(path):
        yield rf"usb {re.escape(usb[1])}: (?:reset|USB disconnect)"
    if (host := _HOST.search(path)) and "/usb" in path:
        yield rf"scsi host{host[1]}: uas_eh_device_reset_handler start"
