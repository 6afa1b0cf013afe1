# SPDX-License-Identifier: GPL-3.0-or-later
"""The files for other programs that hold translations of the English text: polkit's, the desktop's, AppStream's."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

RESOURCES = Path(__file__).parents[2] / "resources"
POLKIT = RESOURCES / "polkit-1" / "org.disktuner.policy"
DESKTOP = RESOURCES / "applications" / "org.disktuner.Disktuner.desktop"
APPSTREAM = RESOURCES / "metainfo" / "org.disktuner.Disktuner.metainfo.xml"
CONTEXTS: Mapping[Path, str] = {POLKIT: "polkit", DESKTOP: "desktop", APPSTREAM: "appstream"}
"""The context of each file's texts in the catalogues."""

Translate = Callable[[str, str], Mapping[str, str]]
"""The translations, by language, of a context's English text."""

_NAME = "Disktuner"
_TAGS = "description|message|summary|p|li|caption|keyword"
_ELEMENT = re.compile(rf"^(?P<indent>[ \t]*)<(?P<tag>{_TAGS})>(?P<text>[^<]*)</(?P=tag)>\n", re.MULTILINE)
_TRANSLATED = re.compile(rf'^[ \t]*<(?P<tag>{_TAGS}) xml:lang="[^"]*">[^<]*</(?P=tag)>\n', re.MULTILINE)
_RELEASES = re.compile(r"<releases>.*", re.DOTALL)
_KEY = re.compile(r"^(?P<key>Name|GenericName|Comment|Keywords)=(?P<text>.*)\n", re.MULTILINE)
_TRANSLATED_KEY = re.compile(r"^\w+\[[\w@]+\]=.*\n", re.MULTILINE)


def said() -> Iterator[tuple[str, str]]:
    """Yield the English texts of all files with their contexts."""
    for file, context in CONTEXTS.items():
        text = file.read_text(encoding="utf-8")
        if file == DESKTOP:
            yield from ((context, match["text"]) for match in _KEY.finditer(text) if match["text"] != _NAME)
        else:
            yield from ((context, _plain(match["text"])) for match in _ELEMENT.finditer(_RELEASES.sub("", text)))


def written(file: Path, translate: Translate) -> str:
    """Return a file with the catalogues' translations instead of its own."""
    text, context = file.read_text(encoding="utf-8"), CONTEXTS[file]
    if file == DESKTOP:
        return _KEY.sub(lambda match: _with_keys(match, context, translate), _TRANSLATED_KEY.sub("", text))
    text = _TRANSLATED.sub("", text)
    releases = next((match.start() for match in _RELEASES.finditer(text)), len(text))
    translated = _ELEMENT.sub(lambda match: _with_elements(match, context, translate), text[:releases])
    return translated + text[releases:]


def _with_keys(english: re.Match[str], context: str, translate: Translate) -> str:
    if english["text"] == _NAME:
        return english[0]
    translation = translate(context, english["text"])
    return english[0] + "".join(f"{english['key']}[{id_}]={text}\n" for id_, text in translation.items())


def _with_elements(english: re.Match[str], context: str, translate: Translate) -> str:
    indent, tag = english["indent"], english["tag"]
    translation = translate(context, _plain(english["text"]))
    lines = (
        f'{indent}<{tag} xml:lang="{id_}">{html.escape(text, quote=False)}</{tag}>\n'
        for id_, text in translation.items()
    )
    return english[0] + "".join(lines)


def _plain(text: str) -> str:
    """Return the text of an element as one line."""
    return html.unescape(" ".join(text.split()))
