# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the manual pages and shell completions of the commands' arguments: ``pages.py FOLDER``. ./dev pages calls this.

The manual pages exist once in each language; the completions (by shtab) know disks, schedulers and kept results of the
machine that they run on.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import shtab

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "app"))

from disktuner.cli import manual as of_one
from disktuner.cli.main import Program, parser_for
from disktuner.cli.manual import Page, manual_page
from disktuner.vocabulary.background import LOADS
from disktuner.vocabulary.languages import LANGUAGES, language_of
from disktuner.vocabulary.messages import ENGLISH, speaking
from disktuner.vocabulary.workloads import WORKLOADS
from disktuner.writing import write_atomically
from disktuner_fleet import manual as of_many

COMPLETIONS = {"bash": "{}.bash", "zsh": "_{}", "fish": "{}.fish"}
PAGES = (of_one.PAGE, of_many.PAGE)
MARK = "man/disktuner.1"
"""Written last: by its time ./dev pages sees whether all is new."""

WORDS = {
    "disks": "command ls /sys/block",
    "schedulers": "command grep -oh '[a-z][a-z0-9-]*' /sys/block/*/queue/scheduler | command sort -u",
    "results_or_files": r"disktuner history 2>/dev/null | command sed -nE 's/^([0-9A-Za-z][^ ]*)  .*/\1/p'",
}
"""What prints them, in the words of all three shells."""
BESIDES = {"results_or_files": "files", "disks_or_dirs": "folders"}
"""What else they offer. By ``_file`` or ``_dir`` in a name bash knows that what it completes is to be quoted."""
FILES = {
    "bash": {"files": 'compgen -f -- "$1"', "folders": 'compgen -d -- "$1"'},
    "zsh": {"files": "_files", "folders": "_files -/"},
    "fish": {"files": "__fish_complete_path (commandline -ct)", "folders": "__fish_complete_directories"},
}
FUNCTION = {
    "bash": '_disktuner_{name}() {{\n  compgen -W "$({words})" -- "$1"\n{more}}}',
    "zsh": "_disktuner_{name}() {{\n  compadd -- ${{(f)\"$({words})\"}}\n{more}}}",
    "fish": "function _disktuner_{name}\n  {words}\n{more}end",
}  # fmt: skip
BY_METAVAR = {
    "DISK": "disks",
    "SCHEDULER": "schedulers",
    "SETTING": "schedulers",
    "TARGET": "disks_or_dirs",
    "RESULT": "results_or_files",
    "ID": "results_or_files",
}
HEAD = "# SPDX-License-Identifier: GPL-3.0-or-later\n# ./dev pages makes this file, with shtab (https://docs.iterative.ai/shtab/).\n"


def files() -> Iterator[tuple[Path, str]]:
    """Yield each file's path in its folder, and its content."""
    for page in PAGES:
        name = page.program.name
        for id_ in LANGUAGES:
            folder = Path("man") if id_ == ENGLISH.id else Path("man", id_)
            yield folder / f"{name}.1", manual(page, id_)
        for shell, file in COMPLETIONS.items():
            yield Path("completions", file.format(name)), completion(page.program, shell)


def manual(page: Page, id_: str) -> str:
    """Return the manual page in a language; ends where that has no compiled catalogue."""
    language = language_of(id_)
    if language.id != id_:
        sys.exit(f"pages: there is no catalogue for {id_}: install gettext's msgfmt, then start ./dev pages again")
    with speaking(language):
        return manual_page(page)


def completion(program: Program, shell: str) -> str:
    """Return a shell's completion script for the command."""
    parser = parser_for(program.modules, program)
    for command in (parser, *parser.commands.values()):
        for action in command.actions():
            complete(action)
    prefix, preamble = program.name.replace("-", "_"), "\n".join(functions(shell))
    script: str = shtab.complete(parser, shell, prefix, preamble)
    first, rest = script.split("\n", 1)
    head, _, body = rest.partition("\n\n")
    assert all(line.startswith("#") or not line for line in head.splitlines()), "shtab's own comment: how to copy it"
    return (f"{first}\n{HEAD}\n{body}" if first.startswith("#compdef") else f"{HEAD}\n{body}").rstrip() + "\n"


def functions(shell: str) -> Iterator[str]:
    """Return the shell functions that list this machine's words."""
    for name, words in {**WORDS, "disks_or_dirs": WORDS["disks"]}.items():
        more = f"  {FILES[shell][BESIDES[name]]}\n" if name in BESIDES else ""
        yield FUNCTION[shell].format(name=name, words=words, more=more)


def complete(action: argparse.Action) -> None:
    """Declare how an argument is completed."""
    if action.dest in ("workload", "workloads"):
        action.choices = list(WORKLOADS)
    elif action.dest == "beside":
        action.choices = list(LOADS)
    elif action.choices is None and action.nargs != 0:
        metavar = action.metavar[0] if isinstance(action.metavar, tuple) else action.metavar
        if metavar in ("FILE", "OUT"):
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif metavar in ("DIR", "FOLDER"):
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
        elif metavar in BY_METAVAR:
            name = f"_disktuner_{BY_METAVAR[metavar]}"
            action.complete = {"bash": name, "zsh": name, "fish": f"({name})"}  # type: ignore[attr-defined]


def main(folder: Path) -> None:
    """Make all, and remove what earlier versions had."""
    made = {folder / name: text for name, text in files()}
    mark = folder / MARK
    mark.unlink(missing_ok=True)
    for path in sorted(made, key=mark.__eq__):
        write_atomically(path, made[path].encode())
    for part in ("man", "completions"):
        for path in (folder / part).rglob("*"):
            if path.is_file() and path not in made:
                path.unlink()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
