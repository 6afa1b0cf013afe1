# SPDX-License-Identifier: GPL-3.0-or-later
"""The one udev rule file: a commented block per disk, written whole; what others wrote in it stays."""

import re
import subprocess
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from disktuner_helper import audit, contract, errors, files
from disktuner_helper.identity import KEYS, everybody, identify, properties, title
from disktuner_helper.queue import Setting, checked

_HEADER = "# Written by Disktuner, a block per disk; `disktuner forget DISK` takes one out. Your own lines stay.\n"
# A disk's flag files: one while it is measured, one while somebody's choice until the next restart holds (it says
# which, and since when). DISKSEQ is in their names because the next disk may get the same device number; kernels
# before 5.15 have none.
UNTIL_RESTART = "-until-restart"
_FLAG = "/run/disktuner/hold/%M:%m-$env{DISKSEQ}"
_MATCH = 'ACTION=="add|change", SUBSYSTEM=="block", ENV{DEVTYPE}=="disk", '
_BLOCK = re.compile(
    r"^# disktuner: begin (?P<key>[A-Z_]{1,32})=(?P<value>[A-Za-z0-9_.:-]{1,128})\n"
    r"# (?P<title>[A-Za-z0-9_.:!+ -]{0,64}) \((?P<disk>[A-Za-z0-9!_.-]{1,32})\), known by [^\n]{0,80}; "
    r"chosen (?P<since>[0-9TZ:-]{20})\n"
    r"(?P<rules>(?:ACTION==[^\n]{0,600}\n){1,40})"
    r"# disktuner: end\n",
    re.MULTILINE | re.ASCII,
)
_ASSIGNMENT = re.compile(r'ATTR\{queue/([a-z_/]{1,40})\}="([A-Za-z0-9_-]{1,16})"$', re.MULTILINE | re.ASCII)


@dataclass(frozen=True, slots=True)
class Choice(Setting):
    """What the disk with a udev property gets at every start.

    ``disk`` and ``title`` are what it was called at ``since`` (UTC).
    """

    key: str
    value: str
    disk: str
    title: str
    since: str

    def __str__(self) -> str:
        """The block of the rule file: scheduler first, because a switch resets the tunables."""
        match = f'{_MATCH}ENV{{{self.key}}}=="{self.value}", TEST!="{_FLAG}", TEST!="{_FLAG}{UNTIL_RESTART}", '
        wishes = {"scheduler": self.scheduler, **self.tunables}.items()
        lines = "".join(f'{match}ATTR{{queue/{name.removeprefix("queue/")}}}="{value}"\n' for name, value in wishes)
        whose = f"# {self.title} ({self.disk}), known by {KEYS[self.key]}; chosen {self.since}\n"
        return f"# disktuner: begin {self.key}={self.value}\n{whose}{lines}# disktuner: end\n"


class Persistent:
    """The persistent choices. The rule file is the truth; /var/lib/disktuner holds a copy for comparison."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._file = root / "etc/udev/rules.d/90-disktuner.rules"
        self._record = root / "var/lib/disktuner/persistent.json"

    def choose(self, disk: str, scheduler: str, tunables: Mapping[str, int]) -> Choice:
        """A choice for a disk that is here. Raises NotUnique."""
        model, _ = title(self._root, disk)
        return Choice(scheduler, tunables, *identify(self._root, disk), disk, model, files.now())

    def write(self, choice: Choice) -> None:
        """Put a disk's block into the file, in the place of what was chosen for it before. Raises WriteFailed."""
        pieces = self._pieces()
        own = properties(self._root, choice.disk).items()
        old = [one for one in _choices(pieces) if (one.key, one.value) in own]
        if old:
            pieces = [choice if one is old[0] else one for one in pieces if one is old[0] or one not in old]
        else:
            text = "".join(map(str, pieces))
            # An empty line ends an unfinished one (with a backslash), which our block would else be part of.
            gap = "\n\n"[len(text) - len(text.rstrip("\n")) :]
            pieces = [*pieces, gap, choice] if text else [_HEADER, choice]
        self._store(pieces)

    def forget(self, disk: str) -> list[Choice]:
        """Take out the blocks of a disk, or of one of that name that is gone; returns them.

        Raises NoSuchDisk where there is neither such a disk nor such a block, and WriteFailed.
        """
        disks = everybody(self._root)
        own = disks.get(disk, {}).items()
        here = {pair for known in disks.values() for pair in known.items()}

        def is_its(one: Choice) -> bool:
            return (one.key, one.value) in own or (one.disk == disk and (one.key, one.value) not in here)

        gone = self.take_out(is_its)
        if not gone and disk not in disks:
            raise errors.NoSuchDisk("nothing-to-forget")
        return gone

    def take_out(self, unwanted: Callable[[Choice], bool]) -> list[Choice]:
        """Take out blocks that Disktuner wrote; returns them. Raises WriteFailed."""
        pieces = self._pieces()
        gone = list(filter(unwanted, _choices(pieces)))
        if gone:
            self._store([piece for piece in pieces if piece not in gone])
        return gone

    def read(self) -> list[Choice]:
        """What is chosen. Raises WriteFailed."""
        return _choices(self._pieces())

    def _pieces(self) -> list[str | Choice]:
        """The file: Disktuner's blocks exactly as it writes them, and between them what is somebody's own."""
        text = files.read(self._file).decode("utf-8", "surrogateescape")
        pieces: list[str | Choice] = []
        end = 0
        for match in _BLOCK.finditer(text):
            choice = _parsed(match)
            if choice and str(choice) == match.group():
                pieces += [text[end : match.start()], choice]
                end = match.end()
        return [*pieces, text[end:]]

    def _store(self, pieces: list[str | Choice]) -> None:
        text = "".join(map(str, pieces))
        if text.strip() in ("", _HEADER.strip()):
            files.remove(self._file)
        else:
            files.replace(self._file, text.encode("utf-8", "surrogateescape"))
        files.replace_json(self._record, {f"{one.key}={one.value}": asdict(one) for one in _choices(pieces)})


def _choices(pieces: list[str | Choice]) -> list[Choice]:
    return [piece for piece in pieces if isinstance(piece, Choice)]


def _parsed(match: re.Match[str]) -> Choice | None:
    wishes = dict(_ASSIGNMENT.findall(match["rules"]))
    scheduler = wishes.pop("scheduler", "")
    named = {name if name.startswith("iosched/") else f"queue/{name}": value for name, value in wishes.items()}
    with suppress(errors.HelperError):
        if match["key"] in KEYS and contract.SCHEDULER_NAME.fullmatch(scheduler):
            return Choice(scheduler, checked(scheduler, named), *match.group("key", "value", "disk", "title", "since"))
    return None


def tell_udev(root: Path, disk: str = "") -> None:
    """Let udev read the rules again and apply them to a disk; wait. No other program is ever run."""
    commands = [["control", "--reload", "--timeout=5"]]
    commands += [["trigger", "--action=change", f"/sys/block/{disk}"], ["settle", "--timeout=8"]] if disk else []
    if not (root / "run/udev/control").exists():
        return  # where udev does not run there is nothing to tell
    try:
        for words in commands:
            subprocess.run(["/usr/bin/udevadm", *words], capture_output=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        audit.write("udev did not take the new rules; they hold from the next start.")
