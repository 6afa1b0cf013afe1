# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences of the flight recorder and of the trial in daily use."""

from __future__ import annotations

from collections.abc import Mapping

TEXTS: Mapping[str, str | tuple[str, str]] = {
    "help-incident": "show this incident (the first column of the list)",
    "help-now": "keep the last minutes as an incident now",
    "help-record": "record until Ctrl+C",
    "help-second": "folder on another disk for incidents that cannot be saved on the usual one (none: no second "
    "folder)",
    "second-chosen": "Incidents that cannot be saved on the usual disk are saved in {folder}. If the recorder is "
    "running, restart it: systemctl --user restart disktuner-watch",
    "second-unchosen": "Incidents are saved on the usual disk only.",
    "second-not-there": "{folder} is not a folder that you can write to. Name one on another disk: disktuner watch "
    "--second /media/you/stick",
    "help-incident-image": "save the picture of the incident (.png)",
    # An incident
    "incident-stalled": "Your programs froze for {seconds:time}.",
    "incident-asked": "Saved at your request; all programs were waiting at the same time for {seconds:time}.",
    "incident-writes": "{disk} was saturated with writes by {who} ({speed:rate}); {size:bytes} waited in memory.",
    "incident-write-back": "{size:bytes} waited in memory while {disk} wrote {speed:rate} for {who}.",
    "incident-reads": "{disk} was saturated with reads by {who} ({speed:rate}).",
    "incident-swapping": "Memory ran short: {size:bytes} went to and from swap.",
    "incident-memory": "Memory ran short: programs had to read their own code again.",
    "incident-trim": "For {seconds:time}, {disk} did nothing but erase freed blocks (TRIM). If a file system on it is "
    "mounted with discard, use fstrim.timer instead.",
    "incident-silent": "{disk} did not answer for {seconds:time}.",
    "incident-gone": "{disk} is gone: it was disconnected, or the kernel gave up on it. Nothing on it can be read or "
    "written until it is back.",
    "incident-kernel": "The kernel said: {lines}",
    "incident-not-disk": "It was not the disk: hardly any program waited for one.",
    "incident-too-short": "Recording had only just begun, so what happened before is not known.",
    "incident-unknown": "Can't tell why: no disk of this computer was fully busy.",
    "incident-others": "other users' programs",
    "incident-own-idle": "The disk of {folder} ({disk}) was idle.",
    "incident-measure": "Find out what helps: {command}",
    "incident-check": "Check cable, power and health: {command}",
    "picture-stalled": "all programs wait",
    "picture-memory": "wait for memory",
    "picture-waiting": "waits in memory, {size:bytes} at most",
    "picture-disk": "{disk}: read {read:rate}, written {written:rate} at most",
    "picture-before": "{seconds:time} before",
    "picture-after": "{seconds:time} after",
    # disktuner watch
    "recorder-is-on": "The recorder is on.",
    "recorder-is-off": "The recorder is off. Turn it on: {command}",
    "recorder-off": "The recorder is off, so there are no last minutes to keep. Turn it on: systemctl --user enable "
    "--now disktuner-watch, or disktuner watch --record.",
    "recorder-on-already": "A recorder is running already.",
    "recording": "Recording; incidents are kept in {folder}. Ctrl+C ends it.",
    "not-kept": "The incident could not be saved; the recorder's log says why.",
    "no-pressure": "This kernel does not count how long programs wait (pressure stall information). Start it with "
    "psi=1, or use one that has it.",
    "no-such-incident": "There is no incident {incident}. disktuner watch lists them.",
    "incidents-silent": "The disk of {folder} does not answer; incidents saved only there cannot be shown.",
    "incident-not-removed": "The disk of {folder} does not answer, so the incident may still be there. Delete it again "
    "once it does.",
    "no-incidents": "No incidents.",
    "picture-is-png": "The picture is a PNG: {file} has to end in .png.",
    "incident-more": "More, with a picture: disktuner watch {incident:word} --image incident.png",
    "head-incident": "INCIDENT",
    "head-started": "BEGAN",
    "head-stalled": "FROZEN",
    "head-why": "WHY",
    # The window
    "recorder-title": "Freezes",
    "recorder-switch": "Also record in the background",
    "recorder-hint": "When programs freeze, the minute before and after is kept on this computer, without file names.",
    "recorder-now": "It just froze: why?",
    "recorder-needs-systemd": "systemd --user cannot run the recorder here, so it records only while this window is "
    "open.",
    "recorder-failed": "The recorder could not be turned on or off: {why}",
    "column-began": "Began",
    "column-stood-still": "Frozen",
    "column-why": "Why",
    "incident-begin": "Measure",
    "incident-check-up": "Check the disk",
    "incident-remove": "Delete",
    # disktuner try-in-daily-use
    "help-field-settings": "the two settings, such as mq-deadline bfq; the first is the baseline",
    "help-field-days": "number of days, {most} at most (default: 7)",
    "help-field-status": "show the trial and what is known so far",
    "help-field-pause": "stop counting and switching until --continue",
    "help-field-continue": "continue after a pause",
    "help-field-stop": "end the trial now and undo it",
    "help-field-run": "run the trial here (the user's systemd does this)",
    "field-begun": "{disk} now alternates between {first:scheduler} and {second:scheduler} until {until}. Use the "
    "computer as usual. To see the results so far: disktuner try-in-daily-use --status. To end and undo it: disktuner "
    "try-in-daily-use --stop",
    "field-runs-here": "systemd --user cannot run the trial here, so it runs in this terminal until Ctrl+C. To "
    "continue later: disktuner try-in-daily-use --run",
    "field-tried": "{disk}: {first:scheduler} or {second:scheduler} in daily use, until {until}",
    "field-keeps": "Paused: the disk keeps {setting:scheduler}.",
    "field-to-continue": "To continue: disktuner try-in-daily-use --continue",
    "field-goes-on": "The trial continues.",
    "field-needs-systemd": "systemd --user cannot run the trial in the background here. Run it in a terminal: "
    "disktuner try-in-daily-use {disk:word} --settings CURRENT OTHER",
    "field-none": "You are not trying any disk in daily use.",
    "field-needs-settings": "Name the two settings: disktuner try-in-daily-use {disk:word} --settings mq-deadline bfq",
    "field-under-way": "A disk is already being tried in daily use. End that first: disktuner try-in-daily-use --stop",
    "field-write-limit": "Put {name} in both settings or in neither: once set, it cannot be reset to the kernel's "
    "default.",
    "field-runs-already": "The trial in daily use is already running.",
    "field-broken": "{file} cannot be read. Remove it; if a disk is still being tried: disktuner revert DISK",
    "field-no-pressure": "This kernel does not count what programs wait for (PSI). Start it with psi=1.",
}
