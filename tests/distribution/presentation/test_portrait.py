# SPDX-License-Identifier: GPL-3.0-or-later
"""A portrait is described as measured, and no further."""

from __future__ import annotations

import json

import pytest
from tests.unit.portraits import DISK, FAST_S, STEP_BYTES, portrait

from disktuner.drawing.portrait import portrait_png, portrait_svg
from disktuner.presentation.portrait import cache_end, document, end_of, shown
from disktuner.results.portrait import Burst, Copied, Portrait, Reads
from disktuner.vocabulary.messages import message


def test_the_end_its_speeds_and_what_follows_are_told() -> None:
    text = shown(portrait())
    assert text.heading.startswith("Crucial P3 (1 TB), 2026-11-30") and "S1" not in text.heading
    assert text.title == "Its fast cache ends after about 42 GB"
    assert text.sentences == (
        "Writes at 1.9 GB/s until then (somewhere between 41.9 GB and 42.1 GB), and at 180 MB/s after that.",
        "Writes fast again after a pause of 8 s.",
        "A copy of 268 MB is safe 1.3 s after it seems done.",
    )
    assert [(reads.label, reads.value) for reads in text.reads] == [
        ("alone", "80 µs, 200 µs"),
        ("while writing", "400 µs, 3 ms"),
        ("alone, cache used up", "200 µs, 2 ms"),
        ("while writing, cache used up", "4 ms, 90 ms"),
    ]
    assert text.says == ("Connected by PCIe at 16 GT/s, 4 lanes.",) and text.problems == ()


def test_without_an_end_there_is_one_state() -> None:
    text = shown(portrait(steps_s=(FAST_S,) * 420, bursts=()))
    assert text.title == "Still writes fast after 42 GB" and text.sentences[0] == "Writes at 1.9 GB/s."
    labels = ["alone", "while writing", "alone, 51 GB later", "while writing, 51 GB later"]
    assert [reads.label for reads in text.reads] == labels
    assert cache_end(portrait(steps_s=(FAST_S,) * 420)) == ""


def test_a_disk_that_does_not_recover() -> None:
    assert "Does not write fast again within 16 s." in shown(portrait(bursts=(Burst(16.0, 3e8),))).sentences


def test_what_does_not_count_is_told_and_not_by_the_check_up() -> None:
    cached = message("host-cache", rate=9e9, ceiling=4e9)
    doubtful = portrait(curve_reason=cached, copied=Copied(10**6, 1.0, 1.0, cached))
    (problem,) = shown(doubtful).problems
    assert problem.startswith("Not reliable: ")
    assert cache_end(doubtful) == ""
    disturbed = portrait(reads=(Reads(0, False, 1e-3, 1e-2, message("other-io", moved=10**9)),))
    assert shown(disturbed).problems[0].startswith("Disturbed: ") and shown(disturbed).reads[0].problem == ""
    assert cache_end(disturbed).startswith("Its fast cache ends after about 42 GB (measured 2026-11-30")
    stolen = [message("cpu-stolen", share=share) for share in (0.06, 0.08, 0.12)]
    busy = portrait(curve_reason=stolen[0], reads=tuple(Reads(0, False, 1e-3, 1e-2, reason) for reason in stolen))
    assert shown(busy).problems == ("Disturbed: The hypervisor took 6 % of the CPU during the run.",), "once"


def test_a_copy_that_was_stopped_was_never_done() -> None:
    stopped = portrait(copied=Copied(159 * 10**6, 24.0, 12.5, message("cut-short", took=36.5)))
    text = shown(stopped)
    assert text.sentences[-1] == "A copy of 159 MB was not done after 24 s." and text.problems == ()
    assert document(stopped)["copy"]["safe_s"] is document(stopped)["copy"]["done_s"] is None


def test_a_cut_off_and_a_virtual_one_say_so() -> None:
    assert shown(portrait(finished=False)).problems == ("Interrupted: the rest was not measured.",)
    assert "the host behind it" in shown(portrait(disk={**DISK, "kind": "virtual"})).problems[0]


def test_the_document_holds_all_figures() -> None:
    values = json.loads(json.dumps(document(portrait())))
    assert values["end"]["low"] <= values["end"]["bytes"] <= values["end"]["high"]
    assert values["fast_bytes_per_s"] == pytest.approx(1.9e9) and values["slow_bytes_per_s"] == pytest.approx(1.8e8)
    assert [read["state"] for read in values["reads"]] == ["rested", "rested", "exhausted", "exhausted"]
    assert (
        values["copy"]["safe_s"] == pytest.approx(1.5) and values["curve"]["valid"] and values["searched_bytes"] == 51e9
    )


def test_where_no_speed_is_known_none_is_given() -> None:
    cut = document(portrait(steps_s=(), bursts=(), copied=None, finished=False))
    assert cut["fast_bytes_per_s"] is cut["slow_bytes_per_s"] is cut["end"] is None and cut["searched_bytes"] == 0


def test_what_was_written_before_widens_the_interval() -> None:
    end = end_of(portrait(earlier_bytes=10**9))
    assert end and end.low_bytes <= 420 * STEP_BYTES <= end.high_bytes - 10**9
    assert end.size_bytes == 420 * STEP_BYTES + 10**9 / 2


@pytest.mark.parametrize(
    "drawn",
    [
        portrait(),
        portrait(steps_s=(FAST_S,) * 3),
        portrait(steps_s=(), reads=(), bursts=(), copied=None, finished=False),
    ],
    ids=["whole", "short", "empty"],
)
def test_it_can_be_drawn(drawn: Portrait) -> None:
    text = shown(drawn)
    light, dark = portrait_png(text, "light"), portrait_png(text, "dark")
    assert light.startswith(b"\x89PNG") and dark != light
    assert text.title in portrait_svg(text, "light")
