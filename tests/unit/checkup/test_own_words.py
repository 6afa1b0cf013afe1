# SPDX-License-Identifier: GPL-3.0-or-later
"""What disks report about themselves is shown as far as the kernel exposes it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.block.trees import Tree
from tests.unit.checkup.machines import card, hard_disk, nvme, port, usb_disk, virtio

from disktuner.block.system import System
from disktuner.checkup.own_words import own_words
from disktuner.vocabulary.messages import say

A2 = {"device/type": "SD", "device/ssr": "0" * 44 + "02" + "0" * 82, "device/preferred_erase_size": "4194304"}


@pytest.mark.parametrize(
    ("make", "sentences"),
    [
        (lambda tree: card(tree, {**A2, "mq/0/nr_tags": "31"}),
         ["Application class A2.", "Takes 31 commands at once.", "Erases in units of 4.19 MB."]),
        (lambda tree: card(tree, {**A2, "mq/0/nr_tags": "64"}),
         ["Application class A2.", "Has no command queue, or the kernel does not use it.",
          "Erases in units of 4.19 MB."]),
        (lambda tree: usb_disk(tree, "480", "2.10"), ["Connected by USB at 60 MB/s; it could be 625 MB/s."]),
        (nvme, ["Connected by PCIe at 16 GT/s, 4 lanes."]),
        (virtio, []),
    ],
    ids=["card", "card-without-queue", "usb", "nvme", "virtual"],
)  # fmt: skip
def test_what_a_disk_says(make: object, sentences: list[str], tmp_path: Path) -> None:
    make(Tree(tmp_path))  # type: ignore[operator]
    system = System(tmp_path)
    (disk,) = system.disks()
    assert [say(message) for message in own_words(system, disk)] == sentences


def test_a_disk_on_sata(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    hard_disk(tree)
    port(tree, "3.0 Gbps")
    system = System(tmp_path)
    words = [say(message) for message in own_words(system, system.disk("sda"))]
    assert any(word.startswith("Connected by SATA at 3 Gb/s") for word in words)
