# SPDX-License-Identifier: GPL-3.0-or-later
"""Exported reports: they open as the result they show, name no person, and are valid files of their kinds."""

from __future__ import annotations

import platform
import subprocess
import xml.etree.ElementTree as ET
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from tests.unit.verdict.making import LAUNCH, made

from disktuner.report import export
from disktuner.report.exporting import suffixes
from disktuner.results.codec import load
from disktuner.results.embedding import embed, result_in_picture
from disktuner.results.model import BadResult, Result
from disktuner.verdict.judge import judge
from disktuner.vocabulary.settings import Setting


def test_a_picture_opens_again_with_the_same_verdict(result: Result, tmp_path: Path) -> None:
    names = ("bfq", "bfq:slice_idle=0", "kyber:read_lat_nsec=10000000000,write_lat_nsec=10000000000")
    tuning = made({(LAUNCH, names[1]): 0.6}, schedulers=names)
    tuning = replace(tuning, plan=replace(tuning.plan, tunes=True))
    undecided = made({(LAUNCH, "bfq"): 0.6}, deviation=0.8, done=4)
    for shared, theme in ((result, "light"), (tuning, "dark"), (made({}, done=0), "light"), (undecided, "dark")):
        path = export(shared, tmp_path / "a.png", theme)  # type: ignore[arg-type]
        assert judge(load(path)) == judge(shared)


def test_a_picture_that_was_cut_forged_or_cleaned(result: Result, tmp_path: Path) -> None:
    data = export(result, tmp_path / "a.png").read_bytes()
    other = export(made({(LAUNCH, "bfq"): 3.0}), tmp_path / "other.png").read_bytes()
    middle = data.index(b"disktuner-result") + 40
    chunk = data.index(b"iTXt") - 4
    for broken, words in (
        (data[: len(data) // 2], "cropped or damaged"),
        (data[:middle] + bytes([data[middle] ^ 1]) + data[middle + 1 :], "cropped or damaged"),
        (data[:chunk] + data[data.rindex(b"IEND") - 4 :], "contains no result"),
        (embed(data, "{}"), "forged"),
        (embed(data[:chunk] + data[data.rindex(b"IEND") - 4 :], "{}"), "not a Disktuner result"),
        (other[: other.index(b"iTXt") - 4] + data[chunk:], "does not match the result"),
        (b"GIF89a\xff", "nor a picture with a result"),
    ):
        (tmp_path / "b.png").write_bytes(broken)
        with pytest.raises(BadResult, match=words):
            load(tmp_path / "b.png")


def test_exports_hold_no_personal_identifier(result: Result, tmp_path: Path) -> None:
    secrets = [b"WD-SECRET99", b"0x5000c500aaaa", b"/home", b"jana", b"Jana", b"UUID"]
    for suffix in suffixes():
        path = export(result, tmp_path / f"out{suffix}")
        data = result_in_picture(path.read_bytes()) if suffix == ".png" else path.read_bytes()
        assert not [secret for secret in secrets if secret in data], suffix
        if len(platform.node()) > 4:
            assert platform.node().encode() not in data
    assert load(export(result, tmp_path / "all.json", personal=True)) == result


def test_markdown_is_rendered_as_forums_do(result: Result, tmp_path: Path) -> None:
    """cmark-gfm is GitHub's renderer; names that look like markup are kept literally."""
    odd_one = Setting("a|b*c*")
    odd = replace(result, plan=replace(result.plan, settings=(odd_one, *result.plan.settings[1:]), baseline=odd_one))
    named = tuple(replace(s, setting=odd_one) if s.setting == Setting("mq-deadline") else s for s in odd.samples)
    path = export(replace(odd, samples=named), tmp_path / "a.md")
    command = ["cmark-gfm", "--extension", "table", "--validate-utf8", str(path)]
    page = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert page.count("<table>") == 1 and page.count("<tr>") == 13
    assert {row.count("<t") - row.count("<tr") for row in page.split("<tr>")[1:]} >= {7}
    assert "<td>a|b*c*</td>" in page and "<em>" not in page


def test_dots_are_explained_where_there_are_any(result: Result, tmp_path: Path) -> None:
    says = {suffix: "dot" in export(result, tmp_path / f"a{suffix}").read_text() for suffix in (".html", ".md")}
    assert says == {".html": True, ".md": False}


def test_svg_is_xml_and_html_needs_nothing_from_elsewhere(result: Result, tmp_path: Path) -> None:
    assert ET.parse(export(result, tmp_path / "a.svg")).getroot().tag.endswith("svg")
    odd = replace(result, disk={"model": "<script>alert(1)</script>$x^2$"})
    page = export(odd, tmp_path / "a.html").read_text()
    tags: list[tuple[str, list[tuple[str, str | None]]]] = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attrs: tags.append((tag, attrs))  # type: ignore[method-assign]
    parser.feed(page)
    assert "script" not in {tag for tag, _ in tags}
    links = [value for _, attrs in tags for name, value in attrs if name in ("src", "href", "xlink:href")]
    assert all(value and value.startswith(("#", "data:")) for value in links)
    ids = [value for _, attrs in tags for name, value in attrs if name == "id"]
    assert len(ids) == len(set(ids))
