# SPDX-License-Identifier: GPL-3.0-or-later
"""argparse's own words in the reader's language: its gettext functions are replaced by ours."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Mapping

from disktuner.vocabulary.messages import named, text

WORDS = (
    "usage: ",
    "positional arguments",
    "options",
    "show this help message and exit",
    "%(prog)s: error: %(message)s\n",
    "argument %(argument_name)s: %(message)s",
    "the following arguments are required: %s",
    "one of the arguments %s is required",
    "not allowed with argument %s",
    "unrecognized arguments: %s",
    "unexpected option string: %s",
    "ignored explicit argument %r",
    "ambiguous option: %(option)s could match %(matches)s",
    "expected one argument",
    "expected at most one argument",
    "expected at least one argument",
    "invalid %(type)s value: %(value)r",
    "invalid choice: %(value)r (choose from %(choices)s)",
)
"""argparse's texts that users of our commands may see."""
CHINESE = re.compile(r"[\u3001-\u9fff\uff01-\uff5e“”](?![\u3001\u3002\uff0c\uff1b\uff1a\uff1f\uff01\uff09\u300b”])")
"""Characters after which a line may end."""


def speak() -> None:
    """Make argparse use the language of ``messages.say``.

    Its names are replaced because what is public would take more: ``gettext.textdomain`` wants a second catalogue for
    each language, without contexts, and chooses by the environment alone; no public formatter knows columns.
    """
    for name, function in (("_", _word), ("ngettext", _counted)):
        setattr(argparse, name, function)
    setattr(argparse.HelpFormatter, "_split_lines", _lines)  # noqa: B010 - not known to belong to it


def _word(english: str | None) -> str | None:
    return named(english) if english else english


def _counted(singular: str, plural: str, count: int) -> str:
    """Translate argparse's only plural, an option's number of values; the number is filled in later."""
    expected = "usage-expected"
    return text(expected, count=count) if singular == "expected %s argument" else (singular, plural)[count != 1]


def _lines(_formatter: argparse.HelpFormatter, about: str, width: int) -> list[str]:
    """Break a description by the columns that its characters take: Chinese ones take two."""
    from rich.cells import cell_len  # noqa: PLC0415 - only help is broken into lines

    lines = [""]
    for part in re.split(r"(?<= )|\0", CHINESE.sub(r"\g<0>\0", " ".join(about.split()))):
        if lines[-1] and cell_len(f"{lines[-1]}{part}".rstrip()) > width:
            lines.append("")
        lines[-1] += part
    return [line.rstrip() for line in lines]


def begin_with_examples(parser: argparse.ArgumentParser, examples: Mapping[str, str]) -> None:
    """Show examples to copy, each with the id of its purpose, before the arguments in a command's help."""
    parser.usage = f"{parser.prog} TARGET [--OPTION ...]"
    parser.description = "\n".join(f"  {command}\n      {text(about)}" for command, about in examples.items())
    parser.formatter_class = argparse.RawDescriptionHelpFormatter


def within(kind: type[int] | type[float], least: float, most: float) -> Callable[[str], float]:
    """Return a parser for numbers between two bounds."""

    def number(given: str) -> float:
        value = kind(given)
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(text("not-between", least=least, most=most))
        return value

    return number


SEED = within(int, 0, 2**63 - 1)
"""The seeds that a result file can hold."""
