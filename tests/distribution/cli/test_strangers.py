# SPDX-License-Identifier: GPL-3.0-or-later
"""Strangers' result files through every entry point: a proper answer or one sentence, printable, in bounded memory."""

from __future__ import annotations

import hashlib
import json
import math
import os
import random
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.unit.block.trees import Tree, sata
from tests.unit.results.hostile import MARKUP, SOUND, TERMINAL, hostile, mutated

import disktuner
from disktuner.cli.main import main
from disktuner.results.embedding import KEYWORD, SIGNATURE
from disktuner.results.store import Store
from disktuner.verdict.outcomes import Decision

MUTATIONS, MANY = 80, 1000
DRAWN_EVERY = 80
"""A picture takes half a second."""

Out = tuple[int, str, str]
Command = Callable[..., Out]


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    def run(*words: object) -> Out:
        code = main([str(word) for word in words])
        return code, *capsys.readouterr()

    return run


def is_harmless(text: str) -> bool:
    return all(sign.isprintable() or sign in "\n\t" for sign in text)


def check(words: tuple[object, ...], answer: Out) -> int:
    """Check that the output is printable sentences."""
    code, out, err = answer
    assert code in (0, 2, 4, 5), (words, answer)
    assert is_harmless(out + err), (words, answer)
    assert "unforeseen" not in err and "Traceback" not in err, (words, err)
    if code:
        assert not out and err.startswith("disktuner: ") and err.endswith(".\n") and err.count("\n") == 1, (words, err)
    elif "--json" in words:
        document = json.loads(out, parse_constant=pytest.fail)
        if words[0] == "verdict":
            check_verdict(document)
    return code


def check_verdict(verdict: dict[str, Any]) -> None:
    """Check that an answer is plausible, whatever was measured."""
    assert verdict["decision"] in list(Decision) and verdict["why"].endswith(".")
    assert (verdict["winner"] is None) == (verdict["decision"] in ("keep", "undecided"))
    assert verdict["decision"] == "undecided" or verdict["leader"] is None
    assert verdict["decision"] in ("undecided", "conditional") or verdict["more"] is None
    assert all(0 < row["ratio"] < math.inf for row in verdict["score"].values())
    assert verdict["chance"] is None or 0 <= verdict["chance"] <= 1
    assert verdict["worth"] > 1 and (verdict["bound"] is None or 0 < verdict["bound"] < math.inf)
    assert all(0 <= fact["low"] <= fact["high"] < math.inf for fact in verdict["known"])
    assert all(part["ratio"] is None or 0 < part["ratio"] < math.inf for part in verdict["comparisons"])


def ways_in(file: Path, sound: Path, drawn: bool) -> list[tuple[object, ...]]:
    """Every command that reads a result file; the first one says whether it is valid."""
    suffixes = (".csv", ".md", ".json", *((".png", ".svg", ".html") if drawn else ()))
    return [
        ("verdict", file),
        ("verdict", file, "--json"),
        ("history", "--compare", sound, file),
        ("history", "--compare", file, sound, "--json"),
        *(("export", file, "--to", file.parent / f"out{suffix}") for suffix in suffixes),
        ("export", file, "--to", file.parent / "all.csv", "--personal"),
        ("history", "--add", file),
        ("history",),
        ("history", "--json"),
        ("history", "wd", "a"),
    ]


@pytest.mark.parametrize(("seed", "count"), [(1, MUTATIONS), pytest.param(2, MANY, marks=pytest.mark.long)])
def test_every_file_gets_a_proper_answer(seed: int, count: int, command: Command, tmp_path: Path) -> None:
    chance = random.Random(seed)
    sound, file, accepted = tmp_path / "sound.json", tmp_path / "stranger.json", 0
    sound.write_text(SOUND["as measured"])
    for number in range(count):
        file.write_bytes(mutated(chance))
        first, *rest = ways_in(file, sound, drawn=number % DRAWN_EVERY == 0)
        refused = check(first, command(*first))
        for words in rest if not refused else (("history", "--add", file), ("history", "--compare", file, sound)):
            assert bool(check(words, command(*words))) == bool(refused), (words, file.read_text()[:2000])
        accepted += not refused
        for path in Store().folder.glob("*.json"):
            path.unlink()
    assert count / 20 < accepted < count, "neither all refused nor all taken"


@pytest.mark.parametrize("text", [json.loads(TERMINAL), json.loads(MARKUP)], ids=["terminal", "markup"])
def test_texts_are_only_printed(text: str, command: Command, tmp_path: Path) -> None:
    file, sound = tmp_path / "stranger.json", tmp_path / "sound.json"
    file.write_text(json.dumps(hostile(text)))
    sound.write_text(SOUND["as measured"])
    printed = ""
    for words in ways_in(file, sound, drawn=True):
        answer = command(*words)
        assert check(words, answer) == 0
        printed += answer[1] + answer[2]
    for suffix in (".csv", ".md", ".html", ".svg"):
        assert is_harmless((tmp_path / f"out{suffix}").read_text("utf-8")), suffix
    if "\x1b" in text:
        assert r"\u001b[2J" in printed, "it is shown, not hidden"
    (entry,) = json.loads(command("history", "--json")[1])["results"]
    assert entry["notes"] == text, "JSON holds what the file holds"


def test_names_of_hardware_and_folders_are_only_printed(command: Command, tmp_path: Path) -> None:
    tree = Tree(tmp_path / "machine")
    tree.kernel("6.1.0-\x1b[2J")
    tree.disk(
        "sda", "8:0", sata(1), files={"device/model": "Evil\x1b]0;x\x07\x9b31m\u202e", "device/vendor": "A\x7f\u2066"}
    )
    tree.mount("8:0", "/media/\\033[2Jx", "ext4", "/dev/sda")
    code, out, _ = command("list", "--sysroot", tree.root)
    assert code == 0 and is_harmless(out) and "Evil?]0;x" in out
    code, out, _ = command("list", "--sysroot", tree.root, "--json")
    assert code == 0 and is_harmless(out) and json.loads(out)["disks"][0]["model"].startswith("Evil?]0;x")


def test_names_that_were_given_are_only_printed(command: Command, tmp_path: Path) -> None:
    for words in (
        ("verdict", tmp_path / "\x1b[2J\udcff.json"),
        ("export", "x", "--to", "\x1b[2J.gif"),
        ("history", "--remove", "\u202e"),
        ("list", "--sysroot", "\x9b2J"),
        ("set", "\x1b[2J", "bfq"),
    ):
        code, out, err = command(*words)
        assert code in (2, 4) and not out and is_harmless(err) and "unforeseen" not in err, (words, err)


def test_a_note_that_no_file_can_hold_is_refused(command: Command) -> None:
    Store().save(Store().add(write(SOUND["as measured"])))
    for note in ("\udcff", "x" * 100_001):
        code, _, err = command("history", "--note", "made", note)
        assert code == 2 and "note" in err
    assert command("history", "--note", "made", "\x1b[2J")[0] == 0
    assert "made: \\u001b[2J" in command("history")[1]


def write(text: str) -> Path:
    path = Store().folder / "elsewhere"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


# ---- files that unpack to far more than they are --------------------------------------------------------


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def picture(text: bytes) -> bytes:
    """A picture with a valid checksum, and a size that fits no memory."""
    seal = hashlib.sha256(b"pixels" + text).hexdigest().encode()
    body = KEYWORD + b"\0\1\0\0" + seal + b"\0" + zlib.compress(text, 9)
    head = struct.pack(">IIBBBBB", 2**31 - 1, 2**31 - 1, 8, 6, 0, 0, 0)
    return SIGNATURE + b"".join(
        (chunk(b"IHDR", head), chunk(b"IDAT", b"pixels"), chunk(b"iTXt", body), chunk(b"IEND", b""))
    )


MIB = 2**20
HEAD = b'{"format":"disktuner.result/2","plan":{"baseline":"a"},"samples":[],"disk":{"x":['
BOMBS: dict[str, Callable[[], bytes]] = {
    "lists in a picture": lambda: picture(HEAD + b"[]," * (80 * MIB) + b"0]}}"),
    "fewer lists in a picture": lambda: picture(HEAD + b"[]," * (20 * MIB) + b"0]}}"),
    "objects": lambda: HEAD + b'{"a":{}},' * (6 * MIB) + b"0]}}",
    "a wide text": lambda: HEAD + b'"' + b"a" * (60 * MIB) + "\U0001f600".encode() + b'"]}}',
    "a long text": lambda: HEAD + b'"' + b"a" * (60 * MIB) + b'"]}}',
    "long numbers": lambda: HEAD + b",".join([b"9" * 4200] * 5000) + b"]}}",
    "deep lists": lambda: HEAD + b"[" * (30 * MIB),
    "deep lists where nothing is looked for": lambda: HEAD.replace(b"disk", b"other") + b"[" * (30 * MIB),
    "samples": lambda: (
        HEAD[: HEAD.index(b"]")] + b",".join([b'{"metric":"m.x_s","scheduler":"a","value":1}'] * 10**6) + b"]}"
    ),
    "chunks": lambda: SIGNATURE + chunk(b"tEXt", b"") * (4 * MIB) + chunk(b"IEND", b""),
}
USUAL = ("lists in a picture", "a wide text", "samples")
MOST_BYTES = 512 * MIB


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in USUAL else pytest.mark.long) for name in BOMBS]
)
def test_no_file_takes_much_memory(name: str, tmp_path: Path) -> None:
    file = tmp_path / "bomb"
    file.write_bytes(BOMBS[name]())
    app = str(Path(disktuner.__path__[0]).parent)
    completed = subprocess.run(
        ["prlimit", f"--as={MOST_BYTES}", sys.executable, "-m", "disktuner", "history", "--add", str(file)],
        env={**os.environ, "PYTHONPATH": app},
        capture_output=True,
        text=True,
        check=False,
    )
    assert completed.returncode == 5 and completed.stderr.endswith(".\n"), completed
    assert "unforeseen" not in completed.stderr
