# SPDX-License-Identifier: GPL-3.0-or-later
"""The one udev rule file: a commented block per disk, written whole; what others wrote in it stays."""

import re
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from disktuner_helper import audit, contract, errors, files
from disktuner_helper.identity import KEYS, everybody, identify, properties, title
from disktuner_helper.queue import Setting, checked, file_of, module_of

_HEADER = "# Written by Disktuner, a block per disk; `disktuner forget DISK` takes one out. Your own lines stay.\n"
# A disk's flag files: one while it is measured, one while somebody's choice until the next restart holds (it says
# which, and since when). DISKSEQ is in their names because the next disk may get the same device number; kernels
# before 5.15 have none.
UNTIL_RESTART = "-until-restart"
_FLAG = "/run/disktuner/hold/%M:%m-$env{DISKSEQ}"
_MATCH = 'ACTION=="add|change", SUBSYSTEM=="block", ENV{DEVTYPE}=="disk", '
_BLOCK = re.compile(
    r"^# disktuner: begin (?P<key>[A-Z_]{1,32})=(?P<value>[A-Za-z0-9_.:-]{1,128})\n"
    r"(?P<lines>(?:(?!# disktuner: )[^\n]{0,600}\n){1,80})"
    r"# disktuner: end\n",
    re.MULTILINE | re.ASCII,
)
# What a block says for people, as we write it; a block whose comment was reworded holds all the same.
_ABOUT = re.compile(
    r"^# (?P<title>[A-Za-z0-9_.:!+ -]{0,64}) \((?P<disk>[A-Za-z0-9!_.-]{1,32})\), .*chosen (?P<since>[0-9TZ:-]{20})$",
    re.MULTILINE | re.ASCII,
)
_ASSIGNMENT = re.compile(r'ATTR\{([a-z_/]{1,40})\}="([A-Za-z0-9_-]{1,16})"$', re.MULTILINE | re.ASCII)


@dataclass(frozen=True, slots=True)
class Choice(Setting):
    """What the disk with a udev property gets at every start.

    ``disk`` and ``title`` are what it was called at ``since`` (UTC); empty where somebody reworded the comment.
    """

    key: str
    value: str
    disk: str
    title: str
    since: str

    def __str__(self) -> str:
        """The block of the rule file."""
        whose = f"# {self.title} ({self.disk}), known by {KEYS[self.key]}; chosen {self.since}\n"
        return f"# disktuner: begin {self.key}={self.value}\n{whose}{self.rules}# disktuner: end\n"

    @property
    def rules(self) -> str:
        """Its lines for udev: scheduler first, because a switch resets the tunables."""
        match = f'{_MATCH}ENV{{{self.key}}}=="{self.value}", TEST!="{_FLAG}", TEST!="{_FLAG}{UNTIL_RESTART}", '
        wishes = {"queue/scheduler": self.scheduler, **self.tunables}.items()
        lines = [f'ATTR{{{file_of(name)}}}="{value}"' for name, value in wishes]
        if module := module_of(self.scheduler):  # which the kernel does not find when it is told the scheduler's name
            lines.insert(0, f'IMPORT{{builtin}}="kmod load {module}-iosched"')
        return "".join(f"{match}{line}\n" for line in lines)


@dataclass(frozen=True, slots=True)
class Block:
    """A part of the rule file as it is written there; what it chooses if it is one of ours."""

    text: str
    choice: Choice | None = None


class Persistent:
    """The persistent choices: what the rule file says."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.file = root / "etc/udev/rules.d/90-disktuner.rules"

    def choose(self, disk: str, wish: Setting) -> Choice:
        """A choice for a disk that is here. Raises NotUnique."""
        model, _ = title(self._root, disk)
        return Choice(wish.scheduler, wish.tunables, *identify(self._root, disk), disk, model, files.now())

    def write(self, choices: Sequence[Choice]) -> None:
        """Put disks' blocks into the file, in the place of what was chosen for them before. Raises WriteFailed."""
        blocks = self._blocks()
        for choice in choices:
            own = properties(self._root, choice.disk).items()
            old = [block for block in blocks if block.choice and (block.choice.key, block.choice.value) in own]
            at = blocks.index(old[0]) if old else len(blocks)
            blocks = [block for block in blocks if block not in old]
            before = "".join(block.text for block in blocks[:at])
            # An empty line ends an unfinished one above (with a backslash), which our block would else be part of.
            gap = "\n\n"[len(before) - len(before.rstrip("\n")) :] if before and not old else ""
            blocks[at:at] = [Block(gap or ("" if before else _HEADER)), Block(str(choice), choice)]
        self._store(blocks)

    def forget(self, names: Sequence[str]) -> list[Choice]:
        """Take out the blocks of disks, or of those of that name that are gone (no names: all); returns them.

        Raises NoSuchDisk where there is neither such a disk nor such a block, and WriteFailed.
        """
        blocks, disks = self._blocks(), everybody(self._root)
        here = {pair for known in disks.values() for pair in known.items()}

        def is_of(choice: Choice, name: str) -> bool:
            its = choice.key, choice.value
            return its in disks.get(name, {}).items() or (choice.disk == name and its not in here)

        ours = [block.choice for block in blocks if block.choice]
        for name in names:
            if name not in disks and not any(is_of(choice, name) for choice in ours):
                raise errors.NoSuchDisk("nothing-to-forget")
        gone = [choice for choice in ours if not names or any(is_of(choice, name) for name in names)]
        if gone:
            self._store([block for block in blocks if block.choice not in gone])
        return gone

    def read(self) -> list[Choice]:
        """What is chosen. Raises WriteFailed."""
        return [block.choice for block in self._blocks() if block.choice]

    def _blocks(self) -> list[Block]:
        """The file: Disktuner's blocks, and between them what is somebody's own."""
        text = files.read(self.file).decode("utf-8", "surrogateescape")
        blocks, end = [], 0
        for match in _BLOCK.finditer(text):
            if choice := _parsed(match):
                blocks += [Block(text[end : match.start()]), Block(match.group(), choice)]
                end = match.end()
        return [*blocks, Block(text[end:])]

    def _store(self, blocks: Sequence[Block]) -> None:
        text = "".join(block.text for block in blocks)
        with files.undoing(self.file):
            if text.strip() in ("", _HEADER.strip()):
                files.remove(self.file)
            else:
                files.replace(self.file, text.encode("utf-8", "surrogateescape"))


def _parsed(match: re.Match[str]) -> Choice | None:
    """The choice that a block makes; None where its lines for udev do not have the keys and values of ours."""
    lines = [line for line in match["lines"].splitlines() if line.strip() and not line.startswith("#")]
    wishes = dict(_ASSIGNMENT.findall("\n".join(lines)))
    scheduler = wishes.pop("queue/scheduler", "")
    named = {name.replace("queue/iosched/", "iosched/"): value for name, value in wishes.items()}
    about = _ABOUT.search(match["lines"])
    whose = about.group("disk", "title", "since") if about else ("", "", "")
    with suppress(errors.HelperError):
        if match["key"] in KEYS and contract.SCHEDULER_NAME.fullmatch(scheduler):
            choice = Choice(scheduler, checked(scheduler, named), match["key"], match["value"], *whose)
            if "".join("".join(lines).split()) == "".join(choice.rules.split()):
                return choice
    return None


def tell_udev(root: Path, *disks: str) -> None:
    """Let udev read the rules again and apply them to disks; wait. No other program is ever run."""
    commands = [["control", "--reload", "--timeout=5"]]
    if disks:
        commands += [
            ["trigger", "--action=change", *(f"/sys/block/{disk}" for disk in disks)],
            ["settle", "--timeout=8"],
        ]
    if not (root / "run/udev/control").exists():
        return  # where udev does not run there is nothing to tell
    try:
        for words in commands:
            subprocess.run(["/usr/bin/udevadm", *words], capture_output=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        audit.write("udev did not take the new rules; they hold from the next start.")
