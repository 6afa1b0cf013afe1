# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences of portraits: where a disk's fast writing ends, and what is there then."""

from __future__ import annotations

from collections.abc import Mapping

TEXTS: Mapping[str, str | tuple[str, str]] = {
    "help-portrait": "show where a disk's fast cache ends and what remains",
    "help-portrait-image": "also save a picture (.png or .svg) of 1200×630",
    "help-portrait-last": "show the disk's last portrait instead of measuring",
    "help-portrait-yes": "write without asking first",
    # before and while it is made
    "portrait-plan": "{disk}: takes about {seconds:duration} and writes at most {most:bytes} to {folder}, removed "
    "afterwards.",
    "portrait-wears": "This is up to {share:percent} of the disk's capacity: every write wears flash a little.",
    "portrait-ask": "Start? [y/N]",
    "portrait-yes": "y yes",
    "portrait-say-yes": "Writing wears {disk}. Repeat the command with --yes to let it write up to {most:bytes}.",
    "portrait-not-kept": "Portraits cannot be kept in {folder}: {why}. Free some space there, or make it writable.",
    "portrait-too-small": "{disk} is too small for a portrait: fast writing could not be told from the rest.",
    "portrait-too-slow": "{disk} writes at only {now:rate} now, too slowly for a portrait. Let it rest for some "
    "minutes, then start again.",
    "several-caches": "{folder} is on several disks ({disks:list}), whose fast caches cannot be told apart. Choose a "
    "folder on a single disk.",
    "no-portrait": "There is no portrait of {disk}. Make one: disktuner portrait {name:word}",
    "portrait-preparing": "Preparing, and letting the disk rest",
    "portrait-writing": "Writing up to {most:bytes} for {seconds:seconds} at most",
    "portrait-so-far": "{written:bytes} written, {rate:rate} now",
    "portrait-recovering": "Pausing to see how soon the disk can write fast again",
    "portrait-copying": "Copying {size:bytes} and waiting until they are safe",
    "portrait-without-reads": "Small reads are left out. {why}",
    "portrait-kept": "What was measured so far is kept: disktuner portrait {name:word} --last",
    # in the window
    "portrait": "Portrait…",
    "portrait-question": "How long does it write fast?",
    "portrait-about": "Many disks write fast only until a cache is full. Two minutes show how much fits into it, and "
    "how fast the disk writes after that. Your files are not touched, the disk's settings stay, and no password is "
    "needed.",
    "portrait-part-prepare": "Small reads while the disk is rested.",
    "portrait-part-write": "One writer that never pauses, until time or space is used up.",
    "portrait-part-recover": "Ever longer pauses, until writing is fast again.",
    "portrait-part-copy": "How long a copy that seems done takes to reach the disk.",
    "step-write": "write",
    "step-recover": "recover",
    "step-copy": "copy",
    "portrait-writes": "Writing without a pause: {written:bytes} of at most {most:bytes}, {rate:rate} now",
    "portrait-burst": "Pausing to see how soon the disk can write fast again. After {pause:time}: {rate:rate}",
    "portrait-rested": "Small reads again, while nothing is written",
    "portrait-cancelling": "Cancelling and removing the scratch files…",
    "portrait-cancelled": "Cancelled. The scratch files are removed.",
    "portrait-kept-here": "What was measured so far is kept, and shown here.",
    "portrait-copied": "Picture copied.",
    "portrait-again-button": "Measure again…",
    "portrait-reads-heading": "Small reads",
    "portrait-reads-about": "median, slowest tenth",
    "portrait-says": "What the disk reports",
    "picture-of-curve": "Chart: writing speed by bytes written",
    "picture-of-reads": "Chart: how long small reads took, median and slowest tenth",
    "leave-portrait": "If you stop now, what was measured so far is kept.",
    # what is said of it
    "portrait-of": "{disk}, {created}",
    "portrait-end": "Its fast cache ends after about {size:bytes}",
    "portrait-no-end": "Still writes fast after {size:bytes}",
    "portrait-nothing": "How fast it writes is not known",
    "portrait-speeds": "Writes at {fast:rate} until then (somewhere between {low:bytes} and {high:bytes}), and at "
    "{slow:rate} after that.",
    "portrait-speed": "Writes at {fast:rate}.",
    "portrait-again": "Writes fast again after a pause of {pause:time}.",
    "portrait-not-again": "Does not write fast again within {pause:time}.",
    "portrait-copy": "A copy of {size:bytes} is safe {gap:time} after it seems done.",
    "portrait-copy-not-done": "A copy of {size:bytes} was not done after {spent:time}.",
    "portrait-invalid": "Not reliable: {reason}",
    "portrait-disturbed": "Disturbed: {reason}",
    "portrait-virtual": "A virtual or remote disk: the host behind it also caches what is written.",
    "portrait-cut": "Interrupted: the rest was not measured.",
    "portrait-reads": "Small reads (median, slowest tenth)",
    "portrait-reads-alone": "alone",
    "portrait-reads-beside": "while writing",
    "portrait-reads-alone-after": "alone, {size:bytes} later",
    "portrait-reads-beside-after": "while writing, {size:bytes} later",
    "portrait-reads-alone-used": "alone, cache used up",
    "portrait-reads-beside-used": "while writing, cache used up",
    "portrait-curve": "Writing speed by bytes written",
    "portrait-times": "{p50:time}, {slowest:time}",
    "check-portrait": "Its fast cache ends after about {size:bytes} (measured {created}).",
    # what the disk says of itself
    "disk-says-class": "Application class A{level}.",
    "disk-says-queue": ("Takes {count} command at once.", "Takes {count} commands at once."),
    "disk-says-no-queue": "Has no command queue, or the kernel does not use it.",
    "disk-says-unit": "Erases in units of {size:bytes}.",
    "disk-says-usb": "Connected by USB at {rate:rate}.",
    "disk-says-usb-slow": "Connected by USB at {rate:rate}; it could be {best:rate}.",
    "disk-says-sata": "Connected by SATA at {speed} Gb/s.",
    "disk-says-sata-slow": "Connected by SATA at {speed} Gb/s; it could be {best} Gb/s.",
    "disk-says-pcie": "Connected by PCIe at {speed} GT/s, {lanes} lanes.",
}
