# SPDX-License-Identifier: GPL-3.0-or-later
"""The files for the desktop, ``man`` and shells are valid, and say what the program knows."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pexpect
import pytest
from tests.waiting import HANG_S

from disktuner import __version__
from disktuner.cli.main import DISKTUNER, Program, parser_for
from disktuner.vocabulary.languages import LANGUAGES, language_of
from disktuner.vocabulary.messages import speaking
from disktuner_fleet.__main__ import FLEET

CHECKOUT = Path(__file__).parents[2]
RESOURCES = CHECKOUT / "resources"
METADATA = RESOURCES / "metainfo/org.disktuner.Disktuner.metainfo.xml"
DESKTOP_FILE = RESOURCES / "applications/org.disktuner.Disktuner.desktop"
DISKS = sorted(path.name for path in Path("/sys/block").iterdir())


def run(*argv: str | Path, **variables: str) -> str:
    """Run a program and return both of its streams; it has to succeed."""
    completed = subprocess.run(
        argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=os.environ | variables, check=False
    )
    assert completed.returncode == 0, completed.stdout
    return completed.stdout


def make_pages(checkout: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-I", checkout / "packaging/pages.py", folder]
    return subprocess.run(words, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The manual pages and completions."""
    folder = tmp_path_factory.mktemp("made")
    completed = make_pages(CHECKOUT, folder)
    assert completed.returncode == 0 and not completed.stderr, completed.stderr
    return folder


@pytest.fixture
def page(made: Path, program: Program, language: str) -> Path:
    return made / "man" / language.replace("en", "") / f"{program.name}.1"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("program", [DISKTUNER, FLEET], ids=lambda program: program.name)
def test_a_page_says_of_each_command_and_argument_what_help_says(page: Path, program: Program, language: str) -> None:
    page_text = re.sub(r"\\(f[BIR]|[:&])", "", page.read_text(encoding="utf-8"))
    page_text = page_text.replace(r"\-", "-").replace(r"\(dq", '"').replace(r"\(ti", "~")
    with speaking(language_of(language)):
        commands = parser_for(program.modules, program).commands
        sentences = {f"{program.name} {name} ": program.help_of(name) for name in commands}
    for command in commands.values():
        arguments = [action for action in command.actions() if action.dest != "help"]
        sentences |= {", ".join(action.option_strings) or action.metavar: action.help for action in arguments}
    assert [words for words, about in sentences.items() if words not in page_text or about not in page_text] == []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("program", [DISKTUNER, FLEET], ids=lambda program: program.name)
def test_man_renders_the_page_without_a_warning(page: Path) -> None:
    screen = run("man", "--warnings", "-l", page, MANWIDTH="80", LC_ALL="C.UTF-8", MAN_KEEP_FORMATTING="", PAGER="cat")
    assert "warning" not in screen
    assert f"Disktuner {__version__}" in screen
    assert re.fullmatch(r'.*: "disktuner(-fleet)? - .+"\n', run("lexgrog", page))


def test_no_page_is_made_in_english_where_another_languages_catalogue_is_missing(tmp_path: Path) -> None:
    for name in ("app", "packaging", "helper"):
        shutil.copytree(CHECKOUT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(CHECKOUT / "pyproject.toml", tmp_path)
    completed = make_pages(tmp_path, tmp_path / "made")
    assert completed.returncode == 1 and "./dev pages" in completed.stderr and not (tmp_path / "made").exists()


def test_what_ends_halfway_does_not_look_made(tmp_path: Path) -> None:
    assert make_pages(CHECKOUT, tmp_path).returncode == 0 and (tmp_path / "man/disktuner.1").exists()
    shutil.rmtree(tmp_path / "completions")
    (tmp_path / "completions").touch()
    assert make_pages(CHECKOUT, tmp_path).returncode and not (tmp_path / "man/disktuner.1").exists()


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


def fish(folder: Path, lines: Sequence[str]) -> list[list[str]]:
    """Return fish's completions for each line, without descriptions."""
    ask = (f"complete -C {line!r}; echo ---" for line in lines)
    script = "; ".join((f"source {folder / 'disktuner.fish'}", *ask))
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


def typed(argv: tuple[str, ...], folder: Path, lines: Sequence[str]) -> list[list[str]]:
    """Return what a shell on a terminal makes of each line's last word."""
    completions, environment = [], os.environ | {"TERM": "dumb"}
    with pexpect.spawn(argv[0], [*argv[1:]], env=environment, encoding="utf-8", timeout=HANG_S) as shell:
        shell.setwinsize(60, 200)
        shell.send(START[argv] % folder)
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
def test_a_shell_completes_commands_choices_disks_schedulers_files_and_results(shell: str, made: Path) -> None:
    offered = SHELLS[shell](made / "completions", [line for line, _ in CASES])
    assert [case for case, words in zip(CASES, offered, strict=True) if case[1] not in words] == [], offered
