# SPDX-License-Identifier: GPL-3.0-or-later
"""An incident in words: what happened, why, and the command that finds a cure."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from disktuner.vocabulary.goals import DESKTOP, FELT
from disktuner.vocabulary.messages import Message, language, message, say_all, text
from disktuner.vocabulary.units import moment
from disktuner_watch.causes import AT_REST, FreezeReason, evidence, lies_on_another
from disktuner_watch.incidents import Incident


def begin_text(incident: Incident) -> str:
    """Return when the incident began, in local time."""
    return moment(datetime.fromisoformat(incident.started).astimezone(), language().numbers)


def stood_still_s(incident: Incident) -> float:
    """Return for how long all programs waited, to the tenth of a second."""
    return round(incident.stalled_s, 1)


def description(incident: Incident) -> str:
    """Return what happened and why, without the time and the remedy."""
    return say_all(_sentences(incident))


def how_long(incident: Incident) -> Message:
    """Return how long programs stood still."""
    return message("incident-asked" if incident.asked else "incident-stalled", seconds=stood_still_s(incident))


def _sentences(incident: Incident) -> Iterator[Message]:
    if incident.cause.reason != FreezeReason.GONE:
        yield how_long(incident)
    yield why(incident)
    if incident.kernel:
        yield message("incident-kernel", lines=incident.kernel)
    if (cause := incident.cause).disk:
        for name in _idle(incident):
            if name != cause.disk:
                yield message("incident-own-idle", folder=incident.disks[name].holds, disk=name)


def why(incident: Incident) -> Message:
    """Return the cause as a sentence."""
    cause = incident.cause
    return message(
        f"incident-{cause.reason}",
        disk=_title(incident, cause.disk),
        who=cause.who or message("incident-others"),
        speed=_round(cause.bytes_per_s),
        size=_round(cause.size_bytes),
        seconds=round(cause.seconds),
    )


def _round(value: float) -> float:
    """Round a rate or size that varies all the time to two digits."""
    return float(f"{value:.2g}")


def _idle(incident: Incident) -> list[str]:
    """The system disks that had little to do."""
    disks = evidence(incident.samples, incident.begun_s, incident.ended_s, ()).disks
    busy = {disk.name: disk.busy for disk in disks}
    names = [name for name, about in incident.disks.items() if about.holds and not lies_on_another(name)]
    return [name for name in names if busy.get(name, 0.0) < AT_REST]


def _title(incident: Incident, name: str) -> str:
    about = incident.disks.get(name)
    return f"{name} ({about.model})" if about and about.model else name


@dataclass(frozen=True, slots=True)
class Cure:
    """What to compare the disk's settings for: a goal's id, some of its workloads, a folder on another disk."""

    goal: str
    workloads: tuple[str, ...] | None = None
    felt: str = ""


def cure(incident: Incident) -> Cure | None:
    """Return the comparison that would prove a cure; None if no setting of a disk is one."""
    match incident.cause.reason:
        case FreezeReason.WRITES:
            return Cure(DESKTOP.id)
        case FreezeReason.READS:
            return Cure(DESKTOP.id, ("launch-under-reads",))
        case FreezeReason.WRITE_BACK:
            return Cure(FELT.id, felt=max((about.holds for about in incident.disks.values()), key=len) or "/")
    return None


def needs_check(incident: Incident) -> bool:
    """Whether the disk itself should be checked, since it did not answer or left."""
    return incident.cause.reason in (FreezeReason.SILENT, FreezeReason.GONE)


def command(incident: Incident) -> tuple[str, ...]:
    """Return the command that finds the cure or the fault; empty if no setting of a disk helps."""
    disk, comparison = incident.cause.disk, cure(incident)
    if comparison is None:
        return ("disktuner", "check", disk) if needs_check(incident) else ()
    if comparison.felt:
        return "disktuner", "compare", disk, "--felt", comparison.felt
    workloads = ("--workloads", ",".join(comparison.workloads)) if comparison.workloads else ()
    return "disktuner", "compare", disk, "--goal", comparison.goal, *workloads


def remedy(incident: Incident) -> str:
    """Return what to do; empty if no setting of a disk helps."""
    line = shlex.join(command(incident))
    if not line:
        return ""
    return text("incident-check" if needs_check(incident) else "incident-measure", command=line)
