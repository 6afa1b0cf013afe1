# SPDX-License-Identifier: GPL-3.0-or-later
"""The files for the desktop, ``man`` and shells are valid, and agree with the program."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pexpect
import pytest
from tests import resource_files
from tests.resource_files import COMPLETIONS, RESOURCES
from tests.waiting import HANG_S

from disktuner import __version__

METADATA = RESOURCES / "metainfo/org.disktuner.Disktuner.metainfo.xml"
DESKTOP_FILE = RESOURCES / "applications/org.disktuner.Disktuner.desktop"
PAGES = sorted((RESOURCES / "man").rglob("*.1"))
DISKS = sorted(path.name for path in Path("/sys/block").iterdir())


def run(*argv: str | Path, **variables: str) -> str:
    """Run a program and return both of its streams; it has to succeed."""
    completed = subprocess.run(
        argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=os.environ | variables, check=False
    )
    assert completed.returncode == 0, completed.stdout
    return completed.stdout


@pytest.mark.parametrize(("name", "text"), list(resource_files.files()), ids=lambda value: getattr(value, "name", ""))
def test_what_is_made_of_the_arguments_is_what_they_say(name: Path, text: str) -> None:
    assert (RESOURCES / name).read_text(encoding="utf-8") == text, "run ./dev docs"


@pytest.mark.parametrize("page", PAGES, ids=lambda path: "/".join(path.parts[-2:]))
def test_man_renders_the_page_without_a_warning(page: Path) -> None:
    screen = run("man", "--warnings", "-l", page, MANWIDTH="80", LC_ALL="C.UTF-8", MAN_KEEP_FORMATTING="", PAGER="cat")
    assert "warning" not in screen
    assert f"Disktuner {__version__}" in screen
    assert re.fullmatch(r'.*: "disktuner(-fleet)? - .+"\n', run("lexgrog", page))


def test_the_desktop_file_is_valid_and_starts_by_the_session_bus() -> None:
    assert run("desktop-file-validate", DESKTOP_FILE) == ""
    assert "DBusActivatable=true" in DESKTOP_FILE.read_text()
    service = (RESOURCES / f"dbus-1/session/{DESKTOP_FILE.stem}.service").read_text()
    assert f"Name={DESKTOP_FILE.stem}\n" in service


def test_the_metadata_are_valid() -> None:
    """AppStream before 1.0 does not know that ``developer`` replaced ``developer_name``."""
    old = run("appstreamcli", "--version").split()[-1].startswith("0.")
    argv = ["appstreamcli", "validate", "--strict", "--no-net", *(["--override=unknown-tag=pedantic"] if old else [])]
    run(*argv, METADATA)


def fish(lines: Sequence[str]) -> list[list[str]]:
    """Return fish's completions for each line, without descriptions."""
    ask = (f"complete -C {line!r}; echo ---" for line in lines)
    script = "; ".join((f"source {RESOURCES / 'completions/disktuner.fish'}", *ask))
    offered = run("fish", "--no-config", "-c", script).split("---\n")
    return [" ".join(line.partition("\t")[0] for line in words.splitlines()).split() for words in offered[:-1]]


START = {
    ("bash", "--norc", "-i"): """source %s/disktuner.bash; bind 'set enable-bracketed-paste off'; show() {
printf '<%%s>\\n' "$READLINE_LINE"; READLINE_LINE=; }; bind -x '"\\C-t": show'; echo rea''dy
""",
    ("zsh", "-f", "-i"): """fpath=(%s $fpath); autoload -Uz compinit; compinit -u -D; unsetopt zle_bracketed_paste
show() { print -r -- "<$BUFFER>"; zle .kill-buffer }; zle -N show; bindkey '^T' show; print rea''dy
""",
}


def typed(argv: tuple[str, ...], lines: Sequence[str]) -> list[list[str]]:
    """Return what a shell on a terminal makes of each line's last word."""
    completions, environment = [], os.environ | {"TERM": "dumb"}
    with pexpect.spawn(argv[0], [*argv[1:]], env=environment, encoding="utf-8", timeout=HANG_S) as shell:
        shell.setwinsize(60, 200)
        shell.send(START[argv] % (RESOURCES / "completions"))
        shell.expect_exact("ready\r\n")
        for line in lines:
            shell.send(f"{line}\t\x14")
            shell.expect(r"<(disktuner[^>]*)>")
            assert isinstance(shell.match, re.Match)
            completions.append([str(shell.match[1]).split()[-1]])
    return completions


def unique_prefix(name: str, names: list[str]) -> str:
    """Return the shortest prefix that only one of the names has."""
    lengths = range(1, len(name) + 1)
    return next(
        name[:length] for length in lengths if sum(candidate.startswith(name[:length]) for candidate in names) == 1
    )


DISK = next((disk for disk in DISKS if not disk.startswith("loop")), DISKS[-1])
SHELLS = {argv[0]: partial(typed, argv) for argv in START} | {"fish": fish}
CASES = (
    ("disktuner st", "status"),
    ("disktuner compare / --goal med", "media"),
    ("disktuner compare --budget th", "thorough"),
    ("disktuner bench / --workload pgb", "pgbench"),
    (f"disktuner check {unique_prefix(DISK, DISKS)}", DISK),
    (f"disktuner set {DISK} bf", "bfq"),
    ("disktuner export /etc/hostn", "/etc/hostname"),
    ("disktuner compare My", "Disk/"),
    ("disktuner compare --continue My", "Disk/"),
    ("disktuner verdict 2026", "20261121-0200"),
    ("disktuner history --remove 2026", "20261121-0200"),
    ("disktuner check --sys", "--sysroot"),
)


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A home with one stored result, and a folder with a space in its name; the current folder."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(RESOURCES.parent / "packaging/bin"), prepend=os.pathsep)
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "ZDOTDIR"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / ".local/share/disktuner"
    folder.mkdir(parents=True)
    (folder / "20261121-020000-abcdef01.json").write_text("{}")
    (tmp_path / "My Disk").mkdir()


@pytest.mark.usefixtures("kept")
@pytest.mark.parametrize("shell", list(SHELLS))
def test_a_shell_completes_commands_choices_disks_schedulers_files_and_results(shell: str) -> None:
    assert COMPLETIONS.keys() == SHELLS.keys()
    offered = SHELLS[shell]([line for line, _ in CASES])
    assert [case for case, words in zip(CASES, offered, strict=True) if case[1] not in words] == [], offered
