# SPDX-License-Identifier: GPL-3.0-or-later
"""Odd command lines and surroundings: each gets a proper answer or one sentence."""

from __future__ import annotations

import argparse
import os
import random
import shlex
import socket
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.distribution.cli.test_strangers import is_harmless
from tests.unit.block.trees import Tree, sata
from tests.unit.results.hostile import MARKUP, SOUND, TERMINAL

from disktuner.cli.main import DISKTUNER, Program, main, parser_for
from disktuner.folders import data_folder, state_folder
from disktuner.opening import is_folder
from disktuner.results.history import INDEX
from disktuner_fleet.__main__ import FLEET

LINES, MANY_LINES = 120, 700
EVERY = 7
"""Each so many'th of the surroundings is in the usual run."""
CODES = {0, 2, 3, 4, 5, 6, 130}
COMMANDS = [(command, program) for program in (DISKTUNER, FLEET) for command in program.modules]

NUMBERS = (
    *("inf", "-inf", "nan", "0", "-1", "-0.0", "0.1", "1e308", "-1e308", "1e-320", "9" * 30, "9" * 5000, str(2**63)),
    *("1_0", "0x10", "\uff11", "1e", "", " ", "1,5"),
)
TEXTS = (
    *("", " ", "-", "--", ",", ",,", ":", "=", "a=b", "bfq:", "bfq:=", "bfq:x=y", "bfq:slice_idle=" + "9" * 5000),
    *(
        "none",
        "x" * 300,
        "x" * 100_000,
        "\udcff",
        "\u202e",
        "a\nb",
        "{scratch}",
        "'",
        "$(x)",
        "%n%s",
        "..",
        "../..",
        "~",
    ),
    *(
        TERMINAL,
        MARKUP,
        "dd-write",
        "own-command",
        "20261125-1251",
        "sd",
        "/dev/",
        "/dev/null",
        "/dev/x/y",
        "loop",
        "🦀" * 80,
    ),
)


# ---- what may lie in a file's place ----------------------------------------------------------------------


def _socket(path: Path) -> None:
    listening = socket.socket(socket.AF_UNIX)
    folder = Path.cwd()
    try:
        os.chdir(path.parent)  # a socket's whole path may have 107 bytes
        listening.bind(path.name)
    finally:
        os.chdir(folder)
        listening.close()


def _huge(path: Path) -> None:
    path.touch()
    os.truncate(path, 2**40)


def _closed(path: Path) -> None:
    path.touch(0)


def _closed_folder(path: Path) -> None:
    path.mkdir(0)


def _full_folder(path: Path) -> None:
    path.mkdir()
    for name in ("a", "b"):
        os.mkfifo(path / name)


ODD: Mapping[str, Callable[[Path], object]] = {
    "a pipe": os.mkfifo,
    "a socket": _socket,
    "a folder": _full_folder,
    "a closed folder": _closed_folder,
    "a closed file": _closed,
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a link to nothing": lambda path: path.symlink_to("nothing"),
    "a link into a closed folder": lambda path: path.symlink_to("/proc/1/root/x"),
    "a link to a name too long": lambda path: path.symlink_to("x" * 300),
    "zeros without an end": lambda path: path.symlink_to("/dev/zero"),
    "a full disk": lambda path: path.symlink_to("/dev/full"),
    "memory": lambda path: path.symlink_to("/proc/self/mem"),
    "a terabyte": _huge,
    "nothing": lambda path: path.touch(),
    "noise": lambda path: path.write_bytes(random.Random(1).randbytes(5000)),
    "depth": lambda path: path.write_text("[" * 100_000),
    "null": lambda path: path.write_text("null"),
    "a number": lambda path: path.write_text("9" * 5000),
    "halves of letters": lambda path: path.write_bytes(b'{"a": "\xed\xa0\x80\xff"}'),
    "a long rule": lambda path: path.write_text('KERNEL=="sda", ATTR{queue/scheduler}="bfq"' + "x" * 300_000),
    "brackets": lambda path: path.write_text('KERNEL=="sda", ATTR{queue/scheduler}="bfq"' + "a{" * 150_000),
    "empty lines": lambda path: path.write_text("[sysfs]\n/sys/block/sda/queue/scheduler=bfq" + "\n" * 300_000),
    "blanks": lambda path: path.write_text("echo bfq >/sys/block/sda/queue/scheduler" + " " * 300_000 + "\n"),
    "starts": lambda path: path.write_text("# queue/scheduler\n" + "Exec" * 100_000),
    "one line": lambda path: path.write_text("x" * 2_000_000),
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with one of each, not writable: nothing is measured."""
    folder = tmp_path / "place"
    folder.mkdir()
    for name, make in ODD.items():
        make(folder / name.replace(" ", "-"))
    (folder / "sound.json").write_text(SOUND["as measured"])
    deep = folder
    while len(str(deep)) < 3900:
        deep /= "d" * 200
        deep.mkdir()
    folder.chmod(0o555)
    monkeypatch.chdir(folder)
    yield folder
    for closed in (folder, folder / "a-closed-folder"):
        closed.chmod(0o755)


def paths(place: Path) -> list[str]:
    """File and folder names, existing and missing."""
    names = [name.replace(" ", "-") for name in ODD]
    deep = [str(path) for path in place.glob("d" * 200 + "/*")]
    return [
        *names, *(f"{name}/below" for name in names), *(str(place / name) for name in names), *deep,
        "sound.json", "sound.json/x", "x.json", "x.png", "x.svg", "x.xyz", "../x.csv", "", ".", "..", "//", "-",
        "x" * 300, "y/" * 3000, "\udcff", "a\nb.json", "/dev/full", "/dev/stdout", "/proc/self/fd/0", "/root/x.json",
    ]  # fmt: skip


# ---- command lines ---------------------------------------------------------------------------------------


def drawn(command: str, program: Program, place: Path, chance: random.Random) -> list[str]:
    """Draw a command line: some of the command's arguments, plausible or not."""
    parser = parser_for([command], program).commands[command]
    words: list[str] = []
    for action in parser.actions():
        if action.dest == "help":
            continue
        if not action.option_strings:
            words += [value(action, place, chance) for _ in range(count(action, chance))]
        elif action.required or chance.random() < 0.3:
            words += [chance.choice(action.option_strings)]
            words += [value(action, place, chance) for _ in range(count(action, chance))]
    if chance.random() < 0.05:
        chance.shuffle(words)
    return [command, *held(command, words)]


def count(action: argparse.Action, chance: random.Random) -> int:
    """How many values an argument is given: usually the right number."""
    if chance.random() < 0.03:
        return chance.randrange(4)
    if isinstance(action.nargs, int):
        return action.nargs
    return chance.randrange(3) if action.nargs in ("?", "*", "+") else 1


def value(action: argparse.Action, place: Path, chance: random.Random) -> str:
    if action.choices and chance.random() < 0.9:
        return str(chance.choice(list(action.choices)))
    if action.type not in (None, Path) and chance.random() < 0.7:
        return chance.choice(NUMBERS)
    return chance.choice(chance.choice((paths(place), paths(place), TEXTS, NUMBERS)))


def held(command: str, words: Sequence[str]) -> list[str]:
    """Return the words so that the command ends by itself: no endless recording, no large folder, a single interval."""
    words_left = [word for word in words if word not in ("--record", "--run")]
    if command == "portrait":
        return [*words_left, "--last"]
    if command == "summary":
        return [word for word in words_left if word not in ("//", "..")]
    return (
        [*words_left, "--count", "1", "--interval", "0.1"]
        if command == "monitor" and "inf" not in words_left
        else words_left
    )


def answered(words: Sequence[str], capsys: pytest.CaptureFixture[str], program: Program = DISKTUNER) -> None:
    """Run a command; it must end as commands do, with sentences."""
    try:
        code: Any = main(words, program)
    except SystemExit as end:
        code = end.code
    out, err = capsys.readouterr()
    line = shlex.join(word[:200] for word in words).encode("utf-8", "backslashreplace").decode()
    assert code in CODES, (line, code, err[-2000:])
    assert "unforeseen" not in err and "Traceback" not in err and "a bug in" not in err, (line, err[-2000:])
    assert is_harmless(out + err), (line, err[-2000:])
    assert err or not code, line


@pytest.mark.parametrize(("seed", "lines"), [(1, LINES), pytest.param(2, MANY_LINES, marks=pytest.mark.long)])
@pytest.mark.usefixtures("caplog")
def test_no_command_line_is_a_defect(seed: int, lines: int, place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chance = random.Random(seed)
    for number in range(lines):
        command, program = COMMANDS[number % len(COMMANDS)]
        answered(drawn(command, program, place, chance), capsys, program)


def naming_a_file(place: Path) -> list[tuple[str, ...]]:
    """Every command that takes a file or a folder, given one that is unreadable and one that cannot exist."""
    commands = []
    for name in (str(place / "a-closed-folder/x.json"), "x" * 300, "x" * 300 + ".json", "y/" * 3000):
        commands += [
            ("verdict", name), ("export", name, "--to", "x.csv"), ("export", "sound.json", "--to", f"{name}.csv"),
            ("history", "--add", name), ("history", "--compare", "sound.json", name), ("history", "--remove", name),
            ("history", "--note", name, "x"), ("summary", name), ("summary", ".", "--html", name),
            ("summary", ".", "--hwdb", name), ("compare", name), ("compare", "--continue", name), ("tune", name),
            ("tune", "--after", name), ("bench", name, "--workload", "copy"), ("compare", "/sys", "--felt", name),
            ("bench", "/sys", "--workload", "copy", "--out", name), ("compare", "/sys", "--image", name),
            ("compare", "/sys", "--command", "true", "--cold", name), ("compare", "/sys", "--program", name),
            *((command, "--sysroot", name) for command in ("list", "check", "status")), ("check", name),
            ("set", name, "bfq"), ("revert", name), ("forget", name), ("monitor", name), ("watch", name),
            ("watch", "--image", name), ("portrait", name), ("portrait", "vda", "--last", "--image", name),
            ("try-in-daily-use", name, "--settings", "none", "bfq"),
        ]  # fmt: skip
    return commands


@pytest.mark.usefixtures("caplog")
def test_a_closed_folder_and_a_name_too_long_are_no_defects(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in naming_a_file(place):
        answered(words, capsys, FLEET if words[0] == "summary" else DISKTUNER)


@pytest.mark.parametrize("seconds", ["inf", "nan", "-1", "0", "1e308", "86401", "x"])
def test_an_interval_is_a_number_of_seconds(seconds: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["monitor", "--interval", seconds, "--count", "1"])
    assert end.value.code == 2 and "--interval" in capsys.readouterr().err


# ---- surroundings ----------------------------------------------------------------------------------------

OURS = (
    "", INDEX, "stranger.json", "stranger.json.journal", ".lock", ".x.tmp", "state", "state/disktuner/log",
    "state/disktuner/field", "state/disktuner/field/trial.json", "state/disktuner/field/paused",
    "state/disktuner/field/lock", "state/disktuner/incidents", "state/disktuner/incidents/20261125-125130.json",
    "state/disktuner/.disktuner-0123456789ab", "state/disktuner/mark",
)  # fmt: skip
"""What may lie below a user's folders, by its path from that of the results."""
ASKED = (
    ("history",), ("history", "--json"), ("history", "--add", "{sound}"), ("history", "--tidy"),
    ("verdict", "stranger"), ("status",), ("watch",), ("try-in-daily-use", "--status"), ("revert", "loop0"),
    ("try-in-daily-use", "--pause"), ("compare", "--continue", "stranger"),
)  # fmt: skip
MACHINE = (
    "etc/udev/rules.d/60-x.rules", "etc/udev/rules.d/90-disktuner-x.rules", "etc/udev/rules.d", "etc/tmpfiles.d/x.conf",
    "etc/sysfs.conf", "etc/rc.local", "etc/cron.d/x", "etc/default/grub", "etc/tuned/active_profile",
    "etc/tuned/x/tuned.conf", "etc/tlp.conf", "etc/systemd/system/x.service", "proc/cmdline", "proc/self/mountinfo",
    "sys/block/sda/queue/scheduler", "sys/block/sda/device/model", "sys/block/sda/queue", "run/udev/data/b8:0",
    "var/lib/cloud/scripts/per-boot", "sys/block",
)  # fmt: skip


def surroundings() -> Iterator[Any]:
    """Each odd thing in each place: in a user's folders, and on a machine."""
    for number, (kind, (owner, path)) in enumerate(
        (kind, at)
        for kind in ODD
        for at in (*(("user", path) for path in OURS), *(("machine", path) for path in MACHINE))
    ):
        yield pytest.param(kind, owner, path, marks=[pytest.mark.long] if number % EVERY else [], id=f"{kind}-{path}")


def plant(kind: str, path: Path) -> None:
    """Put it in place of what is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if is_folder(path):
        path.rename(path.with_name(f"{path.name}-aside"))
    path.unlink(missing_ok=True)
    ODD[kind](path)


def machine(root: Path) -> Tree:
    tree = Tree(root)
    tree.kernel("6.1.0")
    tree.disk("sda", "8:0", sata(1), files={"device/model": "M", "device/vendor": "ATA"}, udev={})
    tree.write("proc/cmdline", "elevator=noop")
    tree.write("etc/tuned/active_profile", "x")
    return tree


@pytest.mark.parametrize(("kind", "owner", "path"), list(surroundings()))
@pytest.mark.usefixtures("caplog")
def test_no_surroundings_are_a_defect(
    kind: str,
    owner: str,
    path: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if owner == "machine":
        root = machine(tmp_path / "machine").root
        plant(kind, root / path)
        for command in ("list", "check", "status"):
            answered((command, "--sysroot", str(root)), capsys)
    else:
        sound = tmp_path / "sound.json"
        sound.write_text(SOUND["as measured"])
        assert state_folder() == data_folder().parent / "state/disktuner"
        plant(kind, data_folder() / path if not path.startswith("state") else data_folder().parent / path)
        for words in ASKED:
            answered([word.format(sound=sound) for word in words], capsys)
    for folder, names, _ in os.walk(tmp_path):
        for name in names:
            if not os.path.islink(closed := os.path.join(folder, name)):  # noqa: PTH114, PTH118 - may be closed
                os.chmod(closed, 0o755)  # noqa: PTH101
