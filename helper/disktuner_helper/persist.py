# SPDX-License-Identifier: GPL-3.0-or-later
"""The udev rules: one file per disk, written and removed whole. Files that others wrote or changed are left alone."""

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
# A disk's flag files: one while it is measured, one while a choice until the next restart holds (its content is the
# scheduler, and since when). DISKSEQ is in their names because the next disk may get the same device number; kernels
# before 5.15 have none.
UNTIL_RESTART = "-until-restart"
_FLAG = "/run/disktuner/hold/%M:%m-$env{DISKSEQ}"
_MATCH = 'ACTION=="add|change", SUBSYSTEM=="block", ENV{DEVTYPE}=="disk", '


@dataclass(frozen=True, slots=True)
class PersistentRule(Setting):
    """What the disk whose udev property ``key`` is ``value`` gets at every start. Its names were those at ``since``."""

    key: str
    value: str
    disk: str
    title: str
    since: str

    def __str__(self) -> str:
        """The rule file: its data as JSON, then rules, the scheduler's first because a switch resets the tunables."""
        match = f'{_MATCH}ENV{{{self.key}}}=="{self.value}", TEST!="{_FLAG}", TEST!="{_FLAG}{UNTIL_RESTART}", '
        wishes = {"queue/scheduler": self.scheduler, **self.tunables}.items()
        lines = [f'ATTR{{{file_of(name)}}}="{value}"' for name, value in wishes]
        if module := module_of(self.scheduler):  # the kernel does not find it by the scheduler's name
            lines.insert(0, f'IMPORT{{builtin}}="kmod load {module}-iosched"')
        return _sealed(f"# {json.dumps(asdict(self))}\n{_NOTE}" + "".join(f"{match}{line}\n" for line in lines))


class Persistent:
    """The persistent choices, kept as rule files."""

    def __init__(self, root: Path) -> None:
        self._root, self._folder = root, root / "etc/udev/rules.d"

    def choose(self, disk: str, wish: Setting) -> PersistentRule:
        """Return a choice for a present disk. Raises NotUnique, or WriteFailed if such a file is not ours."""
        record, (_, foreign) = properties(self._root, disk), self.read()
        for file in foreign.keys() & self._files_of(record):
            raise foreign[file]
        return PersistentRule(
            wish.scheduler, wish.tunables, *identify(self._root, disk), disk, title(self._root, disk)[0], contract.utc()
        )

    @contextmanager
    def keeping(self, rules: Sequence[PersistentRule]) -> Iterator[None]:
        """Replace the disks' previous rules; undo that if it fails or the body raises. Raises WriteFailed."""
        with ExitStack() as changing:
            for rule in rules:
                new_file = self._folder / name_of(rule.key, rule.value)
                contents = dict.fromkeys((new_file, *self._files_of(properties(self._root, rule.disk))), b"")
                for file, content in (contents | {new_file: str(rule).encode()}).items():
                    changing.enter_context(files.changing(file, content))
            yield

    def forget(self, names: Sequence[str]) -> list[PersistentRule]:
        """Remove and return the rules of disks, or of absent disks that last had the name; without names, all of ours.

        Raises NoSuchDisk if there is neither such a disk nor such a rule, WriteFailed if a file, or each, is not ours.
        """
        (ours, foreign), disks = self.read(), everybody(self._root)
        files_of = {name: {*self._files_of(record)} & (ours | foreign).keys() for name, record in disks.items()}
        wanted = set() if names else {*(ours or foreign)}
        for name in names:
            files_of_gone = {file for file, rule in ours.items() if rule.disk == name}.difference(*files_of.values())
            if name not in disks and not files_of_gone:
                raise errors.NoSuchDisk("nothing-to-forget")
            wanted |= files_of.get(name) or files_of_gone
        for file in sorted(wanted & foreign.keys()):
            raise foreign[file]
        removed = sorted(wanted & ours.keys())
        with ExitStack() as changing:
            for file in removed:
                changing.enter_context(files.changing(file, b""))
        return [ours[file] for file in removed]

    def read(self) -> tuple[dict[Path, PersistentRule], dict[Path, errors.HelperError]]:
        """Return our rules by file, and for other files with such names why they are not ours."""
        ours, foreign = {}, {}
        for file in sorted(self._folder.glob("90-disktuner*.rules")):
            try:
                ours[file] = _rule_in(file)
            except errors.WriteFailed as error:
                foreign[file] = error
        return ours, foreign

    def _files_of(self, record: Mapping[str, str]) -> list[Path]:
        return [
            self._folder / name_of(key, record[key]) for key in KEYS if contract.IDENTITY.fullmatch(record.get(key, ""))
        ]


def name_of(key: str, value: str) -> str:
    """Return a disk's file name, its alone: no key contains "-". Raises ValueError for what no rule may hold."""
    if key not in KEYS or not contract.IDENTITY.fullmatch(value):
        raise ValueError
    return f"90-disktuner-{key}-{value}.rules"


def _rule_in(file: Path) -> PersistentRule:
    """Raises WriteFailed if the file is not as Disktuner wrote it."""
    content = files.read(file)
    with suppress(*files.BROKEN):
        text = content.decode()
        rule = PersistentRule(**json.loads(text.partition("\n")[0].removeprefix("# ")))
        if (_sealed(text.rpartition(_DIGEST)[0]), name_of(rule.key, rule.value)) == (text, file.name):
            return rule
    raise errors.WriteFailed("rule-not-ours", file=file)


def _sealed(above: str) -> str:
    """Append a digest as the last line, which shows whether the file was changed since."""
    return f"{above}{_DIGEST}{sha256(above.encode()).hexdigest()}\n"


def tell_udev(root: Path, *disks: str) -> None:
    """Make udev reload the rules and apply them to disks, and wait. No other program is ever run."""
    if not (root / "run/udev/control").exists():
        return  # udev does not run
    applying = [["trigger", "--action=change", *(f"/sys/block/{disk}" for disk in disks)], ["settle", "--timeout=8"]]
    try:
        for words in [["control", "--reload", "--timeout=5"], *(applying if disks else [])]:
            subprocess.run(["/usr/bin/udevadm", *words], capture_output=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        audit.write("udev did not take the new rules; they hold from the next start.")
