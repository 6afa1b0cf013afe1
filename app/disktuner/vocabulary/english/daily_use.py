# SPDX-License-Identifier: GPL-3.0-or-later
"""What the trial in daily use says."""

from __future__ import annotations

from collections.abc import Mapping

TEXTS: Mapping[str, str | tuple[str, str]] = {
    "help-try-in-daily-use": "let two settings change places while you use the computer, and see which feels better",
    "help-field-settings": "the two settings, such as mq-deadline bfq; the first is what the other is compared with",
    "help-field-days": "how long at most, up to {most} days; 7 if not given",
    "help-field-status": "show the trial and what is known so far",
    "help-field-pause": "count and change nothing for now",
    "help-field-continue": "continue after a pause",
    "help-field-stop": "end the trial now and undo it",
    "help-field-run": "run the trial here (the user's systemd does this)",
    "field-begun": "{disk} now changes between {first:scheduler} and {second:scheduler} until {until}. Use the "
    "computer as usual. To see what is known: disktuner try-in-daily-use --status. To end and undo it: disktuner "
    "try-in-daily-use --stop",
    "field-runs-here": "No systemd of yours can run it, so it runs here until Ctrl+C. To continue later: "
    "disktuner try-in-daily-use --run",
    "field-tried": "{disk}: {first:scheduler} or {second:scheduler} in daily use, until {until}",
    "time-of-use": "{used:duration} of use",
    "field-keeps": "Paused: the disk keeps {setting:scheduler}.",
    "field-to-continue": "To continue: disktuner try-in-daily-use --continue",
    "field-goes-on": "The trial continues.",
    "field-begun-here": "{disk} now changes between {first:scheduler} and {second:scheduler} for a week at most, also "
    "while this window is closed. Use the computer as usual. To end it: Undo, on the disk's card.",
    "field-needs-systemd": "No systemd of yours can run the trial in the background. In a terminal: disktuner "
    "try-in-daily-use {disk} --settings CURRENT OTHER",
    "prove-offer": "Does it feel better, too? The two settings change places while you use the computer, for a week at "
    "most.",
    "prove-now": "Prove it in daily use",
    "chosen-by-lot": "Tried in daily use until {until}: {settings:setting}",
    "going-back-from-daily-use": "Ends the trial in daily use; the disk gets back what it had before.",
    "status-in-daily-use": "tried in daily use: {first:scheduler} or {second:scheduler}, until {until}",
    "field-stopped": "The trial has ended, and the disk is as it was before.",
    "field-none": "No disk is being tried in daily use.",
    "field-needs-settings": "Name the two settings: disktuner try-in-daily-use {disk} --settings mq-deadline bfq",
    "field-under-way": "A disk is already being tried in daily use. End that first: disktuner try-in-daily-use --stop",
    "field-write-limit": "{name} must be in both settings or in neither: once set, it is never the kernel's own again.",
    "field-runs-already": "The trial in daily use is already running.",
    "field-broken": "{file} cannot be read. Remove it; if a disk is still being tried: disktuner revert DISK",
    "field-no-pressure": "This kernel does not count what programs wait for (PSI). Start it with psi=1.",
}
