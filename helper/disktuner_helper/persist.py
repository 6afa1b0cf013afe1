# SPDX-License-Identifier: GPL-3.0-or-later
"""The udev rules: one file per disk, written and removed whole. What somebody else wrote or changed is left alone."""

import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

from disktuner_helper import audit, contract, errors, files
from disktuner_helper.identity import KEYS, everybody, identify, properties, title
from disktuner_helper.queue import Setting, file_of, module_of

_NOTE = "# Written by Disktuner; `disktuner forget DISK` removes it. Once you change it, it is yours and stays.\n"
_DIGEST = "# sha256 of all above: "
# A disk's flag files: one while it is measured, one while somebody's choice until the next restart holds (it says
# which, and since when). DISKSEQ is in their names because the next disk may get the same device number; kernels
# before 5.15 have none.
UNTIL_RESTART = "-until-restart"
_FLAG = "/run/disktuner/hold/%M:%m-$env{DISKSEQ}"
_MATCH = 'ACTION=="add|change", SUBSYSTEM=="block", ENV{DEVTYPE}=="disk", '


@dataclass(frozen=True, slots=True)
class Choice(Setting):
    """What the disk with a udev property gets at every start; at ``since`` (UTC) it was called ``disk``, ``title``."""

    key: str
    value: str
    disk: str
    title: str
    since: str

    def __str__(self) -> str:
        """The file: its data as JSON, then what udev does: scheduler first, because a switch resets the tunables."""
        match = f'{_MATCH}ENV{{{self.key}}}=="{self.value}", TEST!="{_FLAG}", TEST!="{_FLAG}{UNTIL_RESTART}", '
        wishes = {"queue/scheduler": self.scheduler, **self.tunables}.items()
        lines = [f'ATTR{{{file_of(name)}}}="{value}"' for name, value in wishes]
        if module := module_of(self.scheduler):  # which the kernel does not find when it is told the scheduler's name
            lines.insert(0, f'IMPORT{{builtin}}="kmod load {module}-iosched"')
        return _sealed(f"# {json.dumps(asdict(self))}\n{_NOTE}" + "".join(f"{match}{line}\n" for line in lines))


class Persistent:
    """The persistent choices: what the rule files say."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._folder = root / "etc/udev/rules.d"

    def choose(self, disk: str, wish: Setting) -> Choice:
        """A choice for a disk that is here. Raises NotUnique, and WriteFailed where such a file is not ours."""
        own, (_, others) = properties(self._root, disk), self.read()
        for file in others.keys() & self._files_of(own):
            raise others[file]
        return Choice(
            wish.scheduler, wish.tunables, *identify(self._root, disk), disk, title(self._root, disk)[0], files.now()
        )

    @contextmanager
    def keeping(self, choices: Sequence[Choice]) -> Iterator[None]:
        """Put disks' files in the place of what was chosen for them before; where that fails, or what is done
        meanwhile, all is as it was. Raises WriteFailed.
        """
        with ExitStack() as changing:
            for choice in choices:
                fresh = self._folder / name_of(choice.key, choice.value)
                contents = dict.fromkeys((fresh, *self._files_of(properties(self._root, choice.disk))), b"")
                for file, content in (contents | {fresh: str(choice).encode()}).items():
                    changing.enter_context(files.changing(file, content))
            yield

    def forget(self, names: Sequence[str]) -> list[Choice]:
        """Remove the files of disks, or of those of that name that are gone; returns what they chose. Without names all
        go that are ours.

        Raises NoSuchDisk where there is neither such a disk nor such a file, and WriteFailed where one is not ours,
        without names only where none is.
        """
        (ours, others), disks = self.read(), everybody(self._root)
        here = {file for own in disks.values() for file in self._files_of(own)}
        wanted = set() if names else {*(ours or others)}
        for name in names:
            mine = {file for file, one in ours.items() if one.disk == name and file not in here}
            if name not in disks and not mine:
                raise errors.NoSuchDisk("nothing-to-forget")
            wanted |= mine | {*self._files_of(disks.get(name, {}))}
        for file in sorted(wanted & others.keys()):
            raise others[file]
        gone = sorted(wanted & ours.keys())
        with ExitStack() as changing:
            for file in gone:
                changing.enter_context(files.changing(file, b""))
        return [ours[file] for file in gone]

    def read(self) -> tuple[dict[Path, Choice], dict[Path, errors.WriteFailed]]:
        """What is chosen, by file; and why other files of such a name are not ours."""
        ours, others = {}, {}
        for file in sorted(self._folder.glob("90-disktuner*.rules")):
            try:
                ours[file] = _choice_in(file)
            except errors.WriteFailed as error:
                others[file] = error
        return ours, others

    def _files_of(self, own: Mapping[str, str]) -> list[Path]:
        return [self._folder / name_of(key, own[key]) for key in KEYS if contract.IDENTITY.fullmatch(own.get(key, ""))]


def name_of(key: str, value: str) -> str:
    """The file for the disk with a udev property; no two share one, since no key has a "-". Raises ValueError for what
    could not stand in a rule either: such a name is harmless, and 160 signs at most.
    """
    if key not in KEYS or not contract.IDENTITY.fullmatch(value):
        raise ValueError
    return f"90-disktuner-{key}-{value}.rules"


def _choice_in(file: Path) -> Choice:
    """Raises WriteFailed where the file is not as Disktuner wrote it."""
    content = files.read(file, own=True)
    with suppress(*files.BROKEN):
        text = content.decode()
        choice = Choice(**json.loads(text.partition("\n")[0].removeprefix("# ")))
        if (_sealed(text.rpartition(_DIGEST)[0]), name_of(choice.key, choice.value)) == (text, file.name):
            return choice
    raise errors.WriteFailed("rule-not-ours", file=file)


def _sealed(above: str) -> str:
    """With a digest as its last line, by which everybody sees whether it was changed since."""
    return f"{above}{_DIGEST}{sha256(above.encode()).hexdigest()}\n"


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
