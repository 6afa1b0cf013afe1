# SPDX-License-Identifier: GPL-3.0-or-later
"""Whatever stands in files and names, a command is one of few programs with its own words, or there is none."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import settings as limits
from hypothesis import strategies as st
from tests.unit.block.test_writers import OWN_RULE, WWN, starts
from tests.unit.block.trees import Tree, sata
from tests.unit.mending.scratch import content, run

from disktuner.block.sysfs import Tree as Files
from disktuner.block.system import System
from disktuner.block.writers import writers_of
from disktuner.mending import Mending, mending_of
from disktuner.mending.mending import NotSure, edited

PROGRAMS = {"mkdir", "tuned-adm", "udevadm", "rm", "rmdir", "tlp", "sed", "ln", "systemctl"}
RULES = "etc/udev/rules.d"
STRANGE = "'\"`$(){}[]<>|&;*?!#~\\ \t\n\r\x00\x1b\x7f\x85\u2028\u202e\xa0/=:,.-_aé" + "x1"
words = st.text(st.sampled_from(STRANGE), max_size=24)
names = words.map(lambda word: re.sub(r"[/\x00]", "", word)).filter(lambda word: word not in ("", ".", ".."))
EVIL = "x'; touch /tmp/owned; echo '"


def machine(root: Path, serial: str = "ST4_sda") -> Tree:
    tree = Tree(root)
    tree.kernel("6.12.0")
    udev = {"ID_WWN": WWN, "ID_SERIAL": serial}
    tree.disk("sda", "8:0", sata(1), "none [mq-deadline] kyber bfq", 1, udev=udev)
    tree.write(f"{RULES}/90-disktuner.rules", OWN_RULE)
    starts(tree, "tuned.service", "tlp.service")
    return tree


def all_mendings(tree: Tree) -> list[Mending]:
    system = System(tree.root)
    subject = system.subject(system.disk("sda"))
    writers = writers_of(subject)
    return [found for each in writers if (found := mending_of(subject, each, writers))]


def check(tree: Tree) -> None:
    """No sign of a stranger's does anything in a shell, and what is done can be taken back."""
    for found in all_mendings(tree):
        assert bool(found.commands) == bool(found.undo)
        for command in (*found.commands, *found.undo):
            assert command.isascii() and command.isprintable()
            parsed = list(shlex.shlex(command, posix=True, punctuation_chars=True))
            if parsed[0] == "printf":
                assert re.fullmatch(r"printf '%s\\n'( ('[^']*'(\"'\"'[^']*')*|[\w@%+=:,./-]+))* \| sudo tee "
                                    r"('[^']*'(\"'\"'[^']*')*|[\w@%+=:,./-]+) >/dev/null", command)  # fmt: skip
                continue
            program, *rest = shlex.split(command)
            assert program == "sudo" and rest[0] in PROGRAMS
            assert shlex.join([program, *rest]) == command, "quoted as Python quotes it, and nothing else"
        before = content(tree.root)
        run([each for each in found.commands if "/usr/" not in each], tree.root)
        run([each for each in found.undo if "/usr/" not in each], tree.root)
        assert content(tree.root) == before


quickly = limits(suppress_health_check=[HealthCheck.too_slow])


@quickly
@given(option=words, value=words, profile=st.one_of(st.just("mine"), words))
@example(option="spindown", value=EVIL, profile="mine")
@example(option="spindown", value="6", profile="mine -x $(id)")
@example(option="spindown", value="[main]", profile="--help")
def test_profiles(option: str, value: str, profile: str) -> None:
    with TemporaryDirectory() as folder:
        tree = machine(Path(folder) / "machine")
        tree.write("etc/tuned/active_profile", profile)
        tree.write("etc/tuned/profile_mode", b"manual\n")
        name = re.sub(r"[/\x00\n]", "", profile.split(maxsplit=1)[0] if profile.split() else "") or "mine"
        if name not in (".", ".."):
            tree.write(f"etc/tuned/profiles/{name}/tuned.conf", f"[disk]\nelevator=kyber\n{option}={value}\n".encode())
        for found in all_mendings(tree):
            assert bool(found.commands) == bool(found.undo)
        if profile == "mine":  # what our stand-in for tuned-adm can put back
            tree.write("etc/tuned/active_profile", b"mine\n")
            check(tree)


@quickly
@given(name=names, before=words, after=words)
@example(name=EVIL, before="", after="")
@example(name="$(touch owned)", before="-", after="'")
def test_names_of_files_and_lines_of_scripts(name: str, before: str, after: str) -> None:
    with TemporaryDirectory() as folder:
        tree = machine(Path(folder) / "machine")
        echo = "echo none > /sys/block/sda/queue/scheduler"
        tree.write("etc/rc.local", f"{before}{echo}{after}\n".encode())
        rule = 'KERNEL=="sd*", ATTR{queue/scheduler}="none"'
        safe = name.encode("utf-8", "replace")[:60].decode("utf-8", "ignore")
        tree.write(f"{RULES}/99-{safe}.rules", rule)
        tree.write(
            f"{RULES}/zz-{safe}.rules",
            f'KERNEL=="sd*", RUN+="/bin/sh -c \'echo kyber > /sys/block/%k/queue/scheduler{after}\'"',
        )
        tree.write(f"etc/systemd/system/{safe}.service", f"[Service]\nExecStart=/bin/sh -c '{echo}{after}'\n".encode())
        check(tree)


@quickly
@given(more=words, device=words)
@example(more="none'; x", device="sda")
def test_lists(more: str, device: str) -> None:
    with TemporaryDirectory() as folder:
        tree = machine(Path(folder) / "machine")
        tree.write("etc/tlp.conf", f'DISK_DEVICES="sda {device}"\nDISK_IOSCHED="none {more}"\n'.encode())
        tree.write("etc/tmpfiles.d/x.conf", f"w /sys/block/sda/queue/scheduler - - - - none{more}\n".encode())
        tree.write("etc/sysfs.conf", f"block/sda/queue/scheduler = none{more}\n".encode())
        check(tree)


@pytest.mark.parametrize("serial", [EVIL, "*", 'x", RUN+="/bin/sh', "a|b", "ST4\n", "0x.*", "x" * 200, "0000", "^$"])
def test_numbers_of_hardware(tmp_path: Path, serial: str) -> None:
    """Without a WWN, a disk is known by its serial number, which its maker chose."""
    tree = machine(tmp_path / "machine", serial)
    tree.write(f"{RULES}/90-disktuner.rules", OWN_RULE.replace("ID_WWN", "ID_SERIAL").replace(WWN, "ST4_sda"))
    tree.write("run/udev/data/b8:0", f"E:ID_SERIAL={serial}")
    tree.write("etc/tuned/active_profile", b"mine\n")
    tree.write("etc/tuned/profiles/mine/tuned.conf", "[disk]\nelevator=kyber")
    (found,) = all_mendings(tree)
    assert (found.what.id, found.commands) == ("mend-no-identity", ())


plain_lines = st.text(st.characters(min_codepoint=32, max_codepoint=126, include_characters="\t"), max_size=40)


@quickly
@given(old=plain_lines, new=plain_lines, rest=st.sampled_from([b"", b"x", b"\n", b"\xff\n\r\n", b"a\n\nb"]))
@example(old=r"a\/&*.[x]^$\t", new=r"\1&/\n", rest=b"\n")
@example(old="", new="#", rest=b"")
def test_a_line_becomes_another_and_again_what_it_was(old: str, new: str, rest: bytes) -> None:
    """Whatever the line holds, sed changes it and nothing else, and only while it is what it was."""
    with TemporaryDirectory() as folder:
        root = Path(folder) / "machine"
        file = root / "etc/some.conf"
        file.parent.mkdir(parents=True)
        before = b"first\n" + old.encode() + (b"\n" + rest if rest else b"")
        after = b"first\n" + new.encode() + (b"\n" + rest if rest else b"")
        file.write_bytes(before)
        try:
            edit = edited(Files(root), "etc/some.conf", 2, new)
        except NotSure:
            assert not (old and new), "an empty line at the end is no line"
            return
        run([edit.do], root)
        assert file.read_bytes() == after
        run([edit.undo], root)
        assert file.read_bytes() == before
        file.write_bytes(b"first\nsecond\n")
        run([edit.do], root)
        assert file.read_bytes() == b"first\nsecond\n" or old == "second"
