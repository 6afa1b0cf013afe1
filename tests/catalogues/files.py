# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of other programs that hold translations beside the English text: polkit's, the desktop's, AppStream's."""

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
    """The English texts of all files with their contexts."""
    for file, context in CONTEXTS.items():
        text = file.read_text(encoding="utf-8")
        if file == DESKTOP:
            yield from ((context, each["text"]) for each in _KEY.finditer(text) if each["text"] != _NAME)
        else:
            yield from ((context, _plain(each["text"])) for each in _ELEMENT.finditer(_RELEASES.sub("", text)))


def written(file: Path, translate: Translate) -> str:
    """A file with the translations of the catalogues in place of those that it has."""
    text, context = file.read_text(encoding="utf-8"), CONTEXTS[file]
    if file == DESKTOP:
        return _KEY.sub(lambda each: _with_keys(each, context, translate), _TRANSLATED_KEY.sub("", text))
    text = _TRANSLATED.sub("", text)
    releases = next((each.start() for each in _RELEASES.finditer(text)), len(text))
    translated = _ELEMENT.sub(lambda each: _with_elements(each, context, translate), text[:releases])
    return translated + text[releases:]


def _with_keys(english: re.Match[str], context: str, translate: Translate) -> str:
    if english["text"] == _NAME:
        return english[0]
    found = translate(context, english["text"])
    return english[0] + "".join(f"{english['key']}[{id_}]={text}\n" for id_, text in found.items())


def _with_elements(english: re.Match[str], context: str, translate: Translate) -> str:
    indent, tag = english["indent"], english["tag"]
    found = translate(context, _plain(english["text"]))
    lines = (
        f'{indent}<{tag} xml:lang="{id_}">{html.escape(text, quote=False)}</{tag}>\n' for id_, text in found.items()
    )
    return english[0] + "".join(lines)


def _plain(text: str) -> str:
    """The text of an element as one line."""
    return html.unescape(" ".join(text.split()))
