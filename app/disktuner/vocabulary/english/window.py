# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences of the window."""

from __future__ import annotations

from collections.abc import Mapping

TEXTS: Mapping[str, str | tuple[str, str]] = {
    # The window as a whole: titles, pages, buttons that several pages have
    "app": "Disktuner",
    "title-measuring": "{done:percent} – Disktuner",
    "title-result": "Result – Disktuner",
    "window-as-root": (
        "Disktuner's window does not run as root, because measurements must run as you, and a window with all rights "
        "is a risk. Start it as your usual user: it asks for an administrator's password when it needs one."
    ),
    "page-disks": "Disks",
    "page-monitor": "Monitor",
    "page-history": "History",
    "back": "Back",
    "cancel": "Cancel",
    "close": "Close",
    "apply": "Apply",
    "try-again": "Try again",
    # What interrupted measurements left
    "leftovers": (
        "An interrupted measurement left {size:bytes} in {folder}. Disktuner can remove it; your own files are not "
        "touched.",
        "Interrupted measurements left {size:bytes} in {count} folders, the first in {folder}. Disktuner can remove "
        "them; your own files are not touched.",
    ),
    "remove-leftovers": "Remove",
    "leftovers-removed": "What interrupted measurements left is removed: {size:bytes} are free again.",
    "leftovers-stayed": (
        "{folder} could not be removed. Look for errors of the disk (dmesg), then start Disktuner again."
    ),
    # The disks
    "looking-for-disks": "Looking for the disks of this computer…",
    "no-disks-to-tune": "No disks to tune",
    "why-no-disks": (
        "The kernel shows no disk with a choice of schedulers. In a container or a very small virtual machine that is "
        "normal. A disk that you plug in appears here by itself."
    ),
    "disks-unreadable": "The disks cannot be read",
    "show-others": ("Show {count} more disk", "Show {count} more disks"),
    "hide-others": "Show fewer disks",
    "change": "Change…",
    "go-back": "Undo",
    "what-bothers": "What bothers you?",
    "just-check": "Just check this disk",
    "measure-disk": "Measure…",
    "show-answer": "Show",
    "measured-before": "Measured {when}: {answer}",
    "on-disk": "{disk}, now {now}",
    "disk-of-system": "{details} · system disk",
    "disk-details": "{size:bytes} · {kind} · {name}",
    "disk-details-uncertain": "{size:bytes} · probably: {kind} · {name}",
    "mounted-at": "{paths} · {free:bytes} free",
    "mounted-at-more": "{paths} and {count} more · {free:bytes} free",
    "mounted-nowhere": "Not mounted",
    "checkup-line": ("Check-up: {count} thing to look at", "Check-up: {count} things to look at"),
    "checkup-line-fine": "Check-up: nothing found",
    "worth-trying": "Worth trying first: {scheduler}. {why}",
    "good-start": "It has a good starting point for this kind of disk. {why}",
    "chosen-until-restart": "your choice, until the next restart",
    "chosen-until-restart-then": "your choice, until the next restart; then {kept:scheduler} again",
    "chosen-for-good": "your choice, also after a restart",
    "chosen-for-port": "your choice, also after a restart, for whatever disk is plugged in here",
    "chosen-but-changed": "you chose {scheduler:scheduler}, but something else changed it",
    "going-back": "Sets the disk back to {scheduler:scheduler}.",
    "going-back-and-rule": "Sets the disk back to {scheduler:scheduler}, now and after every restart.",
    "going-back-rule-only": "No longer sets {scheduler:scheduler} after a restart. The disk stays as it is until then.",
    "disk-idle": "idle",
    "disk-active": "↓ {read:rate}  ↑ {written:rate}",
    "last-minute": "Reads and writes of the last minute",
    # The check-up of a disk
    "check-page-title": "Check-up of {disk}",
    "check-page-looking": "Looking at the disk…",
    "check-page-found": ("{count} thing to look at", "{count} things to look at"),
    "check-page-about": "Measure a finding to see what it costs on this disk. Whatever is set here can be taken back.",
    "check-page-by-hand": "None of these can be set here; each says what to do instead.",
    "check-page-fine": "Nothing found",
    "check-page-fine-about": (
        "Settings, connection and health of this disk are as they should be, as far as the system shows them."
    ),
    "check-page-lines": "Who sets its queue",
    "check-page-failed": "This disk could not be checked",
    "check-page-gone": "This disk is not there",
    "check-page-no-helper": (
        "Nothing can be set or measured here, because Disktuner's helper cannot be reached. The commands below do it "
        "by hand."
    ),
    "check-undo": "Puts this disk back to what it had before it was first changed.",
    "check-undo-and-rule": "Puts this disk back to what it had before it was first changed, also after every restart.",
    "check-failed": "The disks could not be checked. {why}",
    "look-again": "Look again",
    "fact-set-now": "Set now",
    "fact-set-by": "Set by",
    "fact-kernel": "The kernel",
    "fact-proposed": "Proposed",
    "measure-it": "Measure it…",
    "measure-it-hint": "Compares both on this disk, by {workloads:list}. First shows how long that takes.",
    "set-it": "Set it",
    "set-it-hint": "Sets what is proposed, until the next restart.",
    "set-it-for-good": "Set it for good",
    "set-it-for-good-hint": "Sets what is proposed, with the scheduler of now, also after every restart.",
    "nothing-is-set-here": "The buttons set what is proposed. What was found stays until it is mended by hand.",
    "copy-command": "Copy",
    "copy-this-command": "Copy the command {command}",
    "command-copied": "The command is on the clipboard. Paste it into a terminal.",
    "sources": "Where this is known from",
    "proposed-question": "Measure it?",
    "proposed-about": (
        "Compares the disk as it is set now with {setting:scheduler}. Disktuner measures in a folder of its own and "
        "removes it at the end; your files are not touched."
    ),
    "proposed-as-now": "{baseline:scheduler} as it is set now",
    # What became of a change
    "helper-missing": (
        "You can look at the disks, but not change them: Disktuner's helper, which sets schedulers, cannot be reached. "
        "{reason}"
    ),
    "nothing-changed": "Nothing was changed. {why}",
    "waiting-for-helper": ("Waiting for the change. If a password is asked for, it is yours or an administrator's."),
    "another-disk-by-now": (
        "{disk} is not the disk that was measured any more, so nothing was changed. Measure this one anew."
    ),
    "vanished-by-now": "{disk} is gone: it was removed or switched off. Plug it in again to go on.",
    "now-uses": "{disk} now uses {scheduler:scheduler}, until the next restart.",
    "now-uses-then": (
        "{disk} now uses {scheduler:scheduler}, until the next restart; then {kept:scheduler} again, which you keep."
    ),
    "keeps-using": "{disk} uses {scheduler:scheduler} from now on, also after a restart.",
    "keeps-using-unless": "{disk} uses {scheduler:scheduler} now. {outlook}",
    "is-back-at": "{disk} is back at what it had before: {scheduler:scheduler}.",
    "is-back-rule-removed": "{disk} is back at what it had before, now and after every restart: {scheduler:scheduler}.",
    "rule-removed": "A restart no longer sets {disk} to {scheduler:scheduler}. It stays as it is until then.",
    "changes-applied": "The changes to {disk} are applied, until the next restart.",
    "changes-applied-then": (
        "The changes to {disk} are applied, until the next restart; then what you keep holds again."
    ),
    # Changing a disk by hand
    "change-disk": "Change {disk}",
    "change-note": "The order in which this disk serves reads and writes. Nothing changes until you press Apply.",
    "scheduler": "Scheduler",
    "scheduler-about": "{scheduler}: {about}.",
    "loaded-first": "{scheduler} (its module is loaded first)",
    "tunables": "Tunables",
    "no-tunables": "This scheduler has no tunables.",
    "tunables-later": "The tunables of {scheduler:scheduler} can be changed once it is in use.",
    "reset": "Reset",
    "reset-all": "Reset all",
    "reset-all-hint": "Sets every tunable back to its default, or to what this disk had before any change.",
    "reset-to": "Set {name} back to {default}",
    "range": "{low} to {high}",
    "range-default": "{low} to {high}, usually {default}",
    "range-first": "{low} to {high}, before any change {default}",
    "tunable-was": "now {value}",
    "tunable-was-and-kept": "now {value} · kept after restart",
    "tunable-kept": "kept after restart",
    "no-changes": "No changes",
    "changes": ("{count} change", "{count} changes"),
    "keep-after-restart": "Keep after restart",
    "holds-until-restart": "Holds until the next restart.",
    "holds-until-restart-then": "Holds until the next restart; then what you kept holds again: {kept}.",
    "holds-for-good": "Holds now and after every restart: {kept}.",
    "holds-but-not-for-good": "Holds now, but will not last: {kept}.",
    # Trying a scheduler
    "trial-left": "{scheduler:scheduler} on trial, {left:clock} left",
    "trial-begun": (
        "{scheduler:scheduler} is on trial. Without an answer, {before:scheduler} comes back in {seconds:duration}."
    ),
    "keep-for-good": "Keep for good",
    "keep-until-restart": "Until restart",
    "try-will-not-last": "After a restart it will not last. {warnings}",
    "try-over": "{disk} is back at {scheduler:scheduler}: nothing was kept.",
    "keep-question": "{scheduler:scheduler} will not last on {disk}",
    "keep-anyway": "Keep it all the same",
    # The wizard: steps, purpose
    "step-run": "Measuring",
    # The wizard: where and how long
    "where-question": "Ready to measure?",
    "where-about": (
        "Disktuner measures in a folder of its own and removes it at the end; your files are not touched. Meanwhile "
        "the disk switches between its schedulers; at the end it is back at the one it has now."
    ),
    "cost": "{most:duration}. Writes at most {size:bytes} to {folder}, then removes it.",
    "cost-typical": (
        "{typical:duration} as a rule, {most:duration} at most. Writes at most {size:bytes} to {folder}, then removes "
        "it."
    ),
    "options": "Options",
    "budget-name": "{name:named}: {seconds:duration} at most",
    "on-question": "Measure longer?",
    "on-about": (
        "The same comparison goes on: new rounds join those that there are, and all of them are judged together. "
        "Disktuner measures in a folder of its own and removes it at the end; your files are not touched."
    ),
    "tune-question": "Fine-tune?",
    "tune-about": (
        "Settings of the schedulers that are worth trying for this purpose compete with the best plain scheduler; "
        "those that fall behind leave early. Disktuner measures in a folder of its own and removes it at the end; "
        "your files are not touched."
    ),
    "where-folder": "Folder to measure in",
    "choose-folder": "Choose another folder…",
    "folder-free": "{folder}   ({free:bytes} free)",
    "how-long": "How long may it take?",
    "announcing": "Looking at the disk for a few seconds to see how long it takes…",
    "will-need": "Room needed",
    "will-compare": "Compares",
    "will-run": "Runs",
    "needed-of-free": "{needed:bytes} of {free:bytes} free",
    "duration": "{time:duration}",
    "start-measuring": "Start measuring",
    "wear-note": "That is {share:percent} of what the disk holds: everything written wears flash a little.",
    "nothing-mounted": "The disk is not mounted, so there is no place to measure on. Mount a file system of it first.",
    "no-writable-folder": "You may not write to any folder on this disk. Choose a folder of your own on it.",
    "lies-elsewhere": "This folder lies on {there}: that disk will be measured, not {asked}.",
    "lies-on-several": "This folder lies on several disks: {disks:list}. They are switched and measured together.",
    # The wizard: measuring
    "about-to-measure": "Preparing…",
    "run-left": "{left:clock} left · round {round}",
    "run-almost-done": "Almost done · round {round}",
    "run-of": "{workload}, with {setting:scheduler}",
    "pause": "Pause",
    "continue": "Continue",
    "pausing": "Pauses after this run. The disk keeps the scheduler of this run until you continue or cancel.",
    "cancelling": "Cancelling, and setting the disk back…",
    "measuring-cancelled": "Cancelled. The disk is back at the scheduler it had, and the scratch files are removed.",
    "kept-in-history": "What was measured until then is in the history, where it can be continued.",
    "so-far-empty": "Who is fastest is seen after the first round.",
    "throughput": "Throughput",
    "latency": "Wait of reads",
    "live-rates": "Reads {read:rate} · writes (fainter) {written:rate}",
    "live-wait": "Wait of reads {wait:time}",
    "leave-question": "A measurement is running",
    "leave-text": "If you stop now, its results so far are kept, and the disk goes back to the scheduler it had.",
    "leave-stop": "Stop measuring",
    "leave-stay": "Go on measuring",
    # What the desktop shows meanwhile
    "measuring-a-disk": "Measuring a disk",
    "notify-done": "Measured: {answer}",
    "notify-stopped": "Measuring stopped",
    # A result
    "try-setting": "Try {setting:setting}",
    "leave-as-it-is": "Leave as it is",
    "details": "Details",
    "now-in-use": "{setting:setting} (now)",
    "every-workload": "Everything that was measured",
    "what-was-measured": "What this rests on",
    "judged-for": "{title} · {goal:named}",
    "judge-for": "What the same samples say for another purpose",
    "try-hint": "Try it and see how it feels. Without your answer it goes back by itself.",
    "tune-offer": (
        "Fine-tuning: {count} setting of {plain:scheduler} competes with it, {seconds:duration} at most.",
        "Fine-tuning: {count} settings of {plain:scheduler} compete with it, {seconds:duration} at most.",
    ),
    "tune-now": "Fine-tune…",
    "tried": "Why these settings were tried ({count})",
    "on-elsewhere": "Here it can only be read: {disk} is a disk of another computer.",
    "on-gone": "{disk} is not there. Plug it in again to measure on or to change it.",
    "on-another": "This is about {disk}; {now} is another disk. Compare anew to learn about that one.",
    "on-unnamed": "Here it can only be read: it does not say which disk it was measured on.",
    "on-several": (
        "It was measured on several disks that belong together: it can be measured on, but change them on their cards."
    ),
    "on-uncertain": (
        "{disk} has no serial number of its own, so it may be another disk by now: it can be measured on, but changed "
        "only on its card."
    ),
    "measure-longer": "Measure longer ({minutes} min)…",
    "measure-again": "Measure again ({minutes} min)…",
    "measure-longer-hint": "First shows what it would write; in the same folder and for the same purpose.",
    "all-metrics": "All metrics",
    "all-samples": "All samples ({count})",
    "live-figures": "Live figures ({count})",
    "latencies": "Distribution of latency",
    "latencies-hint": "The share of requests with a higher latency than the time below. Further left is better.",
    "slower-than": "1 in {number} above {time:time}",
    "curve": "{scheduler:setting}: {points}",
    "scaling": "Throughput by number of threads",
    "scaling-hint": "Requests per second (and bytes) with more and more threads at once. Higher is better.",
    "threads": ("{count} thread", "{count} threads"),
    "threads-at": "{threads} {speed}",
    "requests-per-s": "{requests:per_s}",
    "requests-per-s-and-bytes": "{requests:per_s} · {bytes:rate}",
    "column-run": "Run",
    "column-round": "Round",
    "column-metric": "Metric",
    "column-value": "Value",
    "column-counts": "Counts",
    # Saving and copying a result
    "save-or-copy": "Share",
    "save-as": "{format}…",
    "copy-picture": "Copy picture",
    "copy-text": "Copy as text",
    "text-copied": "The result is on the clipboard, as text.",
    "picture-copied": (
        "The picture is on the clipboard. To let others open the result itself, save the picture and send the file."
    ),
    "saved-as": "Saved as {path}.",
    "with-personal-data": "With serial number, paths and notes",
    # The monitor
    "monitor-hint": "How busy every disk is right now, once a second.",
    "monitor-all": "Figures of “iostat -x”",
    "column-course": "Last minute: reads above, writes below",
    "column-disk": "Disk",
    "column-reads-per-s": "Reads/s",
    "column-read-rate": "Read",
    "column-read-latency": "Read latency",
    "column-writes-per-s": "Writes/s",
    "column-write-rate": "Written",
    "column-write-latency": "Write latency",
    "column-queue": "Queue",
    "column-busy": "Busy",
    # The history
    "history-hint": "Every comparison is kept here. Choose two (with Ctrl) to see what changed between them.",
    "history-search": "Search disk, purpose, answer, note…",
    "history-reading": "Reading the kept results…",
    "history-empty": (
        "Nothing here yet. Every comparison is kept here; drop results and pictures from elsewhere on this window to "
        "add them."
    ),
    "history-not-found": "No result holds all these words.",
    "column-measured": "Measured",
    "column-purpose": "Purpose",
    "column-answer": "Answer",
    "column-note": "Note",
    "entry-problem": "⚠ {problem}",
    "history-open": "Open",
    "history-compare": "Compare two",
    "history-compare-hint": "Choose two results (with Ctrl) to compare them.",
    "history-note": "Note…",
    "history-remove": "Remove…",
    "history-remove-now": "Remove",
    "history-add": "Add a file…",
    "history-added": "The result is kept in your history.",
    "history-added-meanwhile": "The result is kept in your history. It will be shown when the measurement is over.",
    "result-files": "Results and pictures (*.json *.png);;All files (*)",
    "note-on": "Note on {disk}, {when}",
    "remove-question": "Remove this result for good?",
    "remove-text": "{disk}, {when}. Its samples cannot be brought back, unless you saved them elsewhere.",
    # Two results compared
    "two-compared": "Two results compared",
    "differences": "Not the same",
}
