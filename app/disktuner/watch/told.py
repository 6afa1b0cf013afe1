# SPDX-License-Identifier: GPL-3.0-or-later
"""An incident in words: what happened, why, and the command that finds out what cures it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from disktuner.vocabulary.goals import DESKTOP, FELT
from disktuner.vocabulary.messages import Message, language, message, say_all, text
from disktuner.vocabulary.units import moment
from disktuner.watch.causes import AT_REST, Reason, evidence, lies_on_another
from disktuner.watch.incidents import Incident


def begun(incident: Incident) -> str:
    """Return when it began, in the local time zone."""
    return moment(datetime.fromisoformat(incident.started).astimezone(), language().numbers)


def stood_still_s(incident: Incident) -> float:
    """Return how long all programs waited, to the tenth of a second."""
    return round(incident.stalled_s, 1)


def told(incident: Incident) -> str:
    """Return all of it but when it began and what to do."""
    return say_all(_sentences(incident))


def how_long(incident: Incident) -> Message:
    """Return how long programs stood still."""
    return message("incident-asked" if incident.asked else "incident-stalled", seconds=stood_still_s(incident))


def _sentences(incident: Incident) -> Iterator[Message]:
    if incident.cause.reason != Reason.GONE:
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
        speed=_rounded(cause.bytes_per_s),
        size=_rounded(cause.size_bytes),
        seconds=round(cause.seconds),
    )


def _rounded(value: float) -> float:
    """To two digits: what varies all the time."""
    return float(f"{value:.2g}")


def _idle(incident: Incident) -> list[str]:
    """The disks of the system and the user's files that had little to do."""
    seen = evidence(incident.samples, incident.begun_s, incident.ended_s, ())
    busy = {each.name: each.busy for each in seen.disks}
    held = [name for name, about in incident.disks.items() if about.holds and not lies_on_another(name)]
    return [name for name in held if busy.get(name, 0.0) < AT_REST]


def _title(incident: Incident, name: str) -> str:
    about = incident.disks.get(name)
    return f"{name} ({about.model})" if about and about.model else name


@dataclass(frozen=True, slots=True)
class Cure:
    """What to compare the settings of the disk for: a goal by its id, workloads of it, a folder on another disk."""

    goal: str
    workloads: tuple[str, ...] | None = None
    felt: str = ""


def cure(incident: Incident) -> Cure | None:
    """Return what would prove a cure; None where no setting of a disk is one."""
    match incident.cause.reason:
        case Reason.WRITES:
            return Cure(DESKTOP.id)
        case Reason.READS:
            return Cure(DESKTOP.id, ("launch-under-reads",))
        case Reason.WRITE_BACK:
            return Cure(FELT.id, felt=max((about.holds for about in incident.disks.values()), key=len) or "/")
    return None


def needs_check(incident: Incident) -> bool:
    """Whether the disk itself is to be looked at, since it did not answer or left."""
    return incident.cause.reason in (Reason.SILENT, Reason.GONE)


def command(incident: Incident) -> tuple[str, ...]:
    """Return the command that finds out what cures it or what is wrong; empty where no setting of a disk does."""
    disk, found = incident.cause.disk, cure(incident)
    if found is None:
        return ("disktuner", "check", disk) if needs_check(incident) else ()
    if found.felt:
        return "disktuner", "compare", disk, "--felt", found.felt
    workloads = ("--workloads", ",".join(found.workloads)) if found.workloads else ()
    return "disktuner", "compare", disk, "--goal", found.goal, *workloads


def remedy(incident: Incident) -> str:
    """Return what to do about it; empty where no setting of a disk helps."""
    line = shlex.join(command(incident))
    if not line:
        return ""
    return text("incident-check" if needs_check(incident) else "incident-measure", command=line)
