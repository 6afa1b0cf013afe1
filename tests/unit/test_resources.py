# SPDX-License-Identifier: GPL-3.0-or-later
"""The files for the desktop, ``man`` and shells are as those want them, and say what the program does."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pexpect
import pytest
from tests import needs, resource_files
from tests.resource_files import COMPLETIONS, RESOURCES

from disktuner import __version__

METADATA = RESOURCES / "metainfo/org.disktuner.Disktuner.metainfo.xml"
DESKTOP_FILE = RESOURCES / "applications/org.disktuner.Disktuner.desktop"
PAGES = sorted((RESOURCES / "man").rglob("disktuner.1"))
DISKS = sorted(path.name for path in Path("/sys/block").iterdir())


def run(*argv: str | Path, **variables: str) -> str:
    """What a program prints on both streams; it has to succeed."""
    done = subprocess.run(
        argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=os.environ | variables, check=False
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.mark.parametrize(("name", "text"), list(resource_files.files()), ids=lambda value: getattr(value, "name", ""))
def test_what_is_made_of_the_arguments_is_what_they_say(name: Path, text: str) -> None:
    assert (RESOURCES / name).read_text(encoding="utf-8") == text, "run ./dev docs"


@needs.programs("man", "lexgrog")
@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.parent.name)
def test_man_renders_the_page_without_a_warning(page: Path) -> None:
    shown = run("man", "--warnings", "-l", page, MANWIDTH="80", LC_ALL="C.UTF-8", MAN_KEEP_FORMATTING="", PAGER="cat")
    assert "warning" not in shown
    assert f"Disktuner {__version__}" in shown
    assert re.fullmatch(r'.*: "disktuner - .+"\n', run("lexgrog", page))


@needs.programs("desktop-file-validate")
def test_the_desktop_file_is_valid_and_starts_by_the_session_bus() -> None:
    assert run("desktop-file-validate", DESKTOP_FILE) == ""
    assert "DBusActivatable=true" in DESKTOP_FILE.read_text()
    service = (RESOURCES / f"dbus-1/session/{DESKTOP_FILE.stem}.service").read_text()
    assert f"Name={DESKTOP_FILE.stem}\n" in service


@needs.programs("appstreamcli")
def test_the_metadata_are_valid() -> None:
    """AppStream before 1.0 does not know that ``developer`` took the place of ``developer_name``."""
    old = run("appstreamcli", "--version").split()[-1].startswith("0.")
    argv = ["appstreamcli", "validate", "--strict", "--no-net", *(["--override=unknown-tag=pedantic"] if old else [])]
    run(*argv, METADATA)


def bash(lines: Sequence[str]) -> list[list[str]]:
    """What bash offers at the end of each line."""
    script = """source "$0"; COMP_LINE=$1; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_POINT=${#COMP_LINE}
        called=$(complete -p disktuner | sed 's/.*-F \\([^ ]*\\).*/\\1/')
        $called disktuner "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"; printf '%s\\n' "${COMPREPLY[@]}" """
    argv = ["bash", "-c", script, RESOURCES / "completions" / COMPLETIONS["bash"]]
    return [run(*argv, line, *line.split(" ")).split() for line in lines]


def fish(lines: Sequence[str]) -> list[list[str]]:
    """What fish offers at the end of each line, without what it says about it."""
    ask = (f"complete -C {line!r}; echo ---" for line in lines)
    script = "; ".join((f"source {RESOURCES / 'completions' / COMPLETIONS['fish']}", *ask))
    offered = run("fish", "--no-config", "-c", script).split("---\n")
    return [[each.partition("\t")[0] for each in words.splitlines()] for words in offered[:-1]]


START = """fpath=(%s $fpath); autoload -Uz compinit; compinit -u -D; unsetopt zle_bracketed_paste
show() { print -r -- "<$BUFFER>"; zle .kill-buffer }; zle -N show; bindkey '^X' show; print rea''dy
"""


def zsh(lines: Sequence[str]) -> list[list[str]]:
    """What zsh completes the last word of each line to, on a terminal."""
    found = []
    with pexpect.spawn("zsh", ["-f", "-i"], env=os.environ | {"TERM": "dumb"}, encoding="utf-8", timeout=30) as shell:
        shell.setwinsize(60, 200)
        shell.send(START % (RESOURCES / "completions"))
        shell.expect_exact("ready\r\n")
        for line in lines:
            shell.send(f"{line}\t\x18")
            shell.expect(r"<(disktuner[^>]*)>")
            assert isinstance(shell.match, re.Match)
            found.append([str(shell.match[1]).split()[-1]])
    return found


def unique_prefix(name: str, names: list[str]) -> str:
    """The shortest beginning that only one of the names has."""
    lengths = range(1, len(name) + 1)
    return next(name[:length] for length in lengths if sum(each.startswith(name[:length]) for each in names) == 1)


DISK = next((each for each in DISKS if not each.startswith("loop")), DISKS[-1])
SHELLS = {"bash": bash, "zsh": zsh, "fish": fish}
CASES = (
    ("disktuner st", "status"),
    ("disktuner compare / --goal med", "media"),
    ("disktuner compare --budget th", "thorough"),
    ("disktuner bench / --workload pgb", "pgbench"),
    (f"disktuner check {unique_prefix(DISK, DISKS)}", DISK),
    (f"disktuner set {DISK} bf", "bfq"),
    ("disktuner export /etc/hostn", "/etc/hostname"),
    ("disktuner history --remove 2026", "20261121-0200"),
    ("disktuner check --sys", "--sysroot"),
)


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home with one kept result and nothing else, and one is in it."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "ZDOTDIR"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / ".local/share/disktuner"
    folder.mkdir(parents=True)
    (folder / "20261121-020000-abcdef01.json").write_text("{}")


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize("shell", [pytest.param(shell, marks=needs.programs(shell, "disktuner")) for shell in SHELLS])
def test_a_shell_completes_commands_choices_disks_schedulers_files_and_results(shell: str) -> None:
    assert COMPLETIONS.keys() == SHELLS.keys()
    offered = SHELLS[shell]([line for line, _ in CASES])
    assert [case for case, words in zip(CASES, offered, strict=True) if case[1] not in words] == [], offered
