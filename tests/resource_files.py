# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of resources/ that are made of the commands' arguments: ``./dev docs`` writes them, a test compares them.

The manual pages exist once in each language; the completions (by shtab) know disks, schedulers and kept results of the
machine that they run on.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from pathlib import Path

import shtab

from disktuner.cli import manual as of_one
from disktuner.cli.main import Program, parser_for
from disktuner.cli.manual import Page, manual_page
from disktuner.vocabulary.background import LOADS
from disktuner.vocabulary.languages import LANGUAGES, language_of
from disktuner.vocabulary.messages import ENGLISH, Language, speaking
from disktuner.vocabulary.workloads import WORKLOADS
from disktuner_fleet import manual as of_many

RESOURCES = Path(__file__).parents[1] / "resources"
COMPLETIONS = {"bash": "{}.bash", "zsh": "_{}", "fish": "{}.fish"}
PAGES = (of_one.PAGE, of_many.PAGE)

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
HEAD = "# SPDX-License-Identifier: GPL-3.0-or-later\n# ./dev docs makes this file, with shtab (https://docs.iterative.ai/shtab/).\n"


def files() -> Iterator[tuple[Path, str]]:
    """Yield each generated file below resources/, and its content."""
    for page in PAGES:
        name = page.program.name
        for language in map(language_of, LANGUAGES):
            folder = Path("man") if language is ENGLISH else Path("man", language.id)
            yield folder / f"{name}.1", manual(page, language)
        for shell, file in COMPLETIONS.items():
            yield Path("completions", file.format(name)), completion(page.program, shell)


def manual(page: Page, language: Language) -> str:
    """Return the manual page in a language."""
    with speaking(language):
        return manual_page(page)


def completion(program: Program, shell: str) -> str:
    """Return a shell's completion script for the command."""
    parser = parser_for(program.modules, program)
    for command in (parser, *parser.commands.values()):
        for action in command.actions():
            complete(action)
    preamble: Mapping[str, str] = {shell: "\n".join(functions(shell))}
    script: str = shtab.complete(parser, shell=shell, root_prefix=program.name.replace("-", "_"), preamble=preamble)
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


def main() -> None:
    for name, text in files():
        path = RESOURCES / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
