# SPDX-License-Identifier: GPL-3.0-or-later
"""Text of strangers made safe to look at: what a terminal or page would obey or hide is written out instead.

Names come from result files, from hardware, from folders and from what programs print. Escape sequences in them could
rewrite the screen, and signs that turn the direction of writing could make one name look like another.
"""

from __future__ import annotations

import unicodedata


def printable(text: str) -> str:
    r"""Return the text with each sign that is not printable as JSON escapes it: ``\u001b`` for ESC.

    Line feeds, tabs and spaces stay. So a JSON document stays the same document.
    """
    table = {ord(sign): _escaped(sign) for sign in set(text) if not _is_printable(sign)}
    return text.translate(table) if table else text


def _is_printable(sign: str) -> bool:
    return sign.isprintable() or sign in "\n\t" or unicodedata.category(sign) == "Zs"


def _escaped(sign: str) -> str:
    units = sign.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
