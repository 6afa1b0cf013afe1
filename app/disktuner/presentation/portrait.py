# SPDX-License-Identifier: GPL-3.0-or-later
"""A portrait as people read it, the same in terminal, picture and check-up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from disktuner.block.disk import Disk
from disktuner.results.history import when
from disktuner.results.portrait import Copied, Portrait, Portraits, Reads
from disktuner.verdict.knee import find_knee
from disktuner.vocabulary.kinds import KINDS
from disktuner.vocabulary.messages import Message, language, message, named, say, text
from disktuner.vocabulary.reasons import REASONS
from disktuner.vocabulary.states import DiskState, is_fast
from disktuner.vocabulary.units import size

PRESENT = 16
"""So many steps of a curve tell the present speed."""


@dataclass(frozen=True, slots=True)
class End:
    """The end of fast writing: after ``size_bytes`` (``low_bytes`` to ``high_bytes``), and the speeds around it."""

    size_bytes: float
    low_bytes: float
    high_bytes: float
    fast_bytes_per_s: float
    slow_bytes_per_s: float

    @property
    def about_bytes(self) -> float:
        """The size with the two digits that are shown."""
        return float(f"{self.size_bytes:.2g}")


@dataclass(frozen=True, slots=True)
class ShownReads:
    """A row: how long small reads took in one state of the disk."""

    label: str
    p50_s: float
    slowest_s: float
    problem: str = ""

    @property
    def value(self) -> str:
        """Both times as text."""
        return text("portrait-times", p50=self.p50_s, slowest=self.slowest_s)


@dataclass(frozen=True, slots=True)
class ShownPortrait:
    """What is shown: ``heading`` names disk and day; ``curve`` is (bytes written, bytes per second) of each step."""

    heading: str
    title: str
    sentences: tuple[str, ...]
    problems: tuple[str, ...]
    says: tuple[str, ...]
    reads: tuple[ShownReads, ...]
    curve: tuple[tuple[float, float], ...]
    end: End | None


def end_of(portrait: Portrait) -> End | None:
    """Return where fast writing ends, None if no end was found.

    Data written just before counts half, since the disk may or may not have moved it out of its cache; the interval
    covers both.
    """
    knee = find_knee(portrait.steps_s)
    if knee is None:
        return None
    step, earlier = portrait.step_bytes, portrait.earlier_bytes
    return End(
        knee.step * step + earlier / 2,
        knee.low * step,
        knee.high * step + earlier,
        step / knee.step_s_before,
        step / knee.step_s_after,
    )


def reliable_end(portrait: Portrait) -> End | None:
    """Return the end of a portrait, None if none was found or the curve is invalid."""
    return None if _is_invalid(portrait.curve_reason) else end_of(portrait)


def tells_end(portrait: Portrait) -> bool:
    """Whether a portrait tells where fast writing ends, or that it does not: one that was cut off cannot tell that."""
    return reliable_end(portrait) is not None or (portrait.finished and not _is_invalid(portrait.curve_reason))


def known_end(portraits: Portraits, disk: Disk) -> End | None:
    """Return the end that the newest of a disk's portraits that can tell shows, if any."""
    portrait = portraits.newest_of(disk, tells_end)
    return reliable_end(portrait) if portrait else None


def cache_end(portrait: Portrait) -> str:
    """Return the check-up's sentence, empty without a reliable end."""
    end = reliable_end(portrait)
    return text("check-portrait", size=end.about_bytes, created=when(portrait.created)) if end else ""


def curve_of(portrait: Portrait) -> tuple[tuple[float, float], ...]:
    """Return bytes written and bytes per second of each step."""
    step = portrait.step_bytes
    return tuple((number * step, step / step_s) for number, step_s in enumerate(portrait.steps_s, 1))


def mean_speed(curve: Sequence[tuple[float, float]]) -> float:
    """Return the bytes per second of all steps together."""
    return len(curve) / sum(1 / speed for _, speed in curve)


def shown(portrait: Portrait) -> ShownPortrait:
    """Return a portrait as shown to people."""
    end, written_bytes = end_of(portrait), len(portrait.steps_s) * portrait.step_bytes
    return ShownPortrait(
        text("portrait-of", disk=_disk(portrait), created=when(portrait.created)),
        _title(portrait, end),
        tuple(map(say, _sentences(portrait, end))),
        tuple(map(say, _problems(portrait))),
        tuple(map(say, portrait.says)),
        tuple(
            _reads(reads, portrait, end)
            for reads in sorted(
                portrait.reads, key=lambda reads: (2 * reads.written_bytes > written_bytes, reads.beside)
            )
        ),
        curve_of(portrait),
        end,
    )


def document(portrait: Portrait) -> dict[str, Any]:
    """Return a portrait as ``disktuner portrait --json`` prints it."""
    end, mean = end_of(portrait), _mean(portrait) or None
    written_bytes = len(portrait.steps_s) * portrait.step_bytes
    return {
        "id": portrait.id,
        "created": portrait.created,
        "finished": portrait.finished,
        "disk": dict(portrait.disk),
        "end": {"bytes": end.size_bytes, "low": end.low_bytes, "high": end.high_bytes} if end else None,
        "fast_bytes_per_s": end.fast_bytes_per_s if end else mean,
        "slow_bytes_per_s": end.slow_bytes_per_s if end else None,
        "searched_bytes": written_bytes,
        "curve": {
            "step_bytes": portrait.step_bytes,
            "seconds": list(portrait.steps_s),
            **_verdict(portrait.curve_reason),
        },
        "reads": [_reads_json(reads, end) for reads in portrait.reads],
        "recovery": [{"after_s": burst.after_s, "bytes_per_s": burst.bytes_per_s} for burst in portrait.bursts],
        "copy": _copied_json(portrait.copied) if portrait.copied else None,
        "says": list(map(say, portrait.says)),
    }


def _reads_json(reads: Reads, end: End | None) -> dict[str, Any]:
    return {
        "state": _state(reads, end),
        "written_bytes": reads.written_bytes,
        "beside_writing": reads.beside,
        "p50_s": reads.p50_s,
        "slowest_tenth_s": reads.slowest_tenth_s,
        **_verdict(reads.reason),
    }


def _copied_json(copied: Copied) -> dict[str, Any]:
    done_s, safe_s = (None, None) if _was_stopped(copied) else (copied.done_s, copied.done_s + copied.gap_s)
    return {"size_bytes": copied.size_bytes, "done_s": done_s, "safe_s": safe_s, **_verdict(copied.reason)}


def _was_stopped(copied: Copied) -> bool:
    """Whether a copy took too long to be waited for, so that its times are those until it was stopped."""
    return copied.reason is not None and copied.reason.id == "cut-short"


def _verdict(reason: Message | None) -> dict[str, Any]:
    return {"valid": not _is_invalid(reason), "reason": say(reason) if reason else None}


def _is_invalid(reason: Message | None) -> bool:
    return reason is not None and (reason.id not in REASONS or REASONS[reason.id].invalid)


def _disk(portrait: Portrait) -> str:
    """Describe the disk without identifying the device."""
    called = " ".join(str(portrait.disk[fact]) for fact in ("vendor", "model") if portrait.disk.get(fact))
    kind, size_bytes = KINDS.get(str(portrait.disk.get("kind"))), portrait.disk.get("size_bytes", 0)
    return f"{called or (named(kind.name) if kind else '')} ({size(size_bytes, language().numbers)})"


def _title(portrait: Portrait, end: End | None) -> str:
    if end:
        return text("portrait-end", size=end.about_bytes)
    written_bytes = len(portrait.steps_s) * portrait.step_bytes
    return text("portrait-no-end", size=written_bytes) if written_bytes else text("portrait-nothing")


def _sentences(portrait: Portrait, end: End | None) -> Iterator[Message]:
    if end:
        yield message(
            "portrait-speeds",
            fast=end.fast_bytes_per_s,
            slow=end.slow_bytes_per_s,
            low=end.low_bytes,
            high=end.high_bytes,
        )
    elif portrait.steps_s:
        yield message("portrait-speed", fast=_mean(portrait))
    if end and portrait.bursts:
        last = portrait.bursts[-1]
        is_again = is_fast(last.bytes_per_s, end.fast_bytes_per_s, end.slow_bytes_per_s)
        yield message("portrait-again" if is_again else "portrait-not-again", pause=last.after_s)
    if copied := portrait.copied:
        if _was_stopped(copied):
            yield message("portrait-copy-not-done", size=copied.size_bytes, spent=copied.done_s)
        else:
            yield message("portrait-copy", size=copied.size_bytes, gap=copied.gap_s)


def _problems(portrait: Portrait) -> Iterator[Message]:
    """Yield each reason why figures are invalid or disturbed, once, as the first of them has it."""
    kind = KINDS.get(str(portrait.disk.get("kind")))
    if kind and kind.is_remote:
        yield message("portrait-virtual")
    copied = portrait.copied
    figures = (portrait.curve_reason, copied.reason if copied and not _was_stopped(copied) else None)
    reasons: dict[str, Message] = {}
    for reason in filter(None, (*figures, *(reads.reason for reads in portrait.reads))):
        reasons.setdefault(reason.id, reason)
    for reason in reasons.values():
        yield message("portrait-invalid" if _is_invalid(reason) else "portrait-disturbed", reason=reason)
    if not portrait.finished:
        yield message("portrait-cut")


def _mean(portrait: Portrait) -> float:
    seconds = sum(portrait.steps_s)
    return len(portrait.steps_s) * portrait.step_bytes / seconds if seconds else 0.0


def _state(reads: Reads, end: End | None) -> DiskState:
    """Return the disk's state during reads; always rested if no end was found."""
    return DiskState.EXHAUSTED if end and reads.written_bytes > end.size_bytes else DiskState.RESTED


def _reads(reads: Reads, portrait: Portrait, end: End | None) -> ShownReads:
    where = "beside" if reads.beside else "alone"
    moment = "-used" if _state(reads, end) is DiskState.EXHAUSTED else ""
    if end is None and 2 * reads.written_bytes > len(portrait.steps_s) * portrait.step_bytes:
        moment = "-after"
    problem = say(reads.reason) if reads.reason and _is_invalid(reads.reason) else ""
    label = text(f"portrait-reads-{where}{moment}", size=reads.written_bytes)
    return ShownReads(label, reads.p50_s, reads.slowest_tenth_s, problem)
