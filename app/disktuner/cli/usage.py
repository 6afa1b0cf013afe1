# SPDX-License-Identifier: GPL-3.0-or-later
"""argparse's own words in the reader's language: it asks gettext's functions, which are looked up in our catalogues."""

from __future__ import annotations

import argparse
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
"""What argparse may say to those who use our commands."""


def speak() -> None:
    """Have argparse say these in the language of ``messages.say``; it has no other way than its module's names."""
    for name, function in (("_", _word), ("ngettext", _counted)):
        setattr(argparse, name, function)


def _word(english: str | None) -> str | None:
    return named(english) if english else english


def _counted(singular: str, plural: str, count: int) -> str:
    """Only how many values an option takes is counted; the number is filled in afterwards."""
    expected = "usage-expected"
    return text(expected, count=count) if singular == "expected %s argument" else (singular, plural)[count != 1]


def begin_with_examples(parser: argparse.ArgumentParser, examples: Mapping[str, str]) -> None:
    """Let a command's help show commands to copy, and what each is for (ids), before all its arguments."""
    parser.usage = f"{parser.prog} TARGET [--OPTION ...]"
    parser.description = "\n".join(f"  {command}\n      {text(about)}" for command, about in examples.items())
    parser.formatter_class = _WithLines


class _WithLines(argparse.HelpFormatter):
    """Leaves a description of several lines as it is."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if "\n" in text else super()._fill_text(text, width, indent)


def within(kind: type[int] | type[float], least: float, most: float) -> Callable[[str], float]:
    """Read a number between two bounds."""

    def number(given: str) -> float:
        found = kind(given)
        if not least <= found <= most:
            raise argparse.ArgumentTypeError(text("not-between", least=least, most=most))
        return found

    return number


SEED = within(int, 0, 2**63 - 1)
"""What a result file can hold."""
