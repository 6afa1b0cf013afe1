# SPDX-License-Identifier: GPL-3.0-or-later
"""Which machines measure, what of their answers is clear, which disks get it, and who goes first.

All that a machine says is data, and may be a lie: what no kernel and no disk says is not believed (``plausible``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9!_.-]{0,31}")
"""A disk's, a scheduler's and a tunable's."""
KERNEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9+~_.-]{0,64}")
TUNABLE = re.compile(r"(?:(?:queue|bdi|iosched|device)/)?[a-z0-9_]{1,32}")
SETTING = re.compile(rf"{NAME.pattern}(?::{TUNABLE.pattern}=-?[0-9]{{1,20}}(?:,{TUNABLE.pattern}=-?[0-9]{{1,20}})*)?")
LONGEST, LONGEST_REASON, MOST_DISKS, LARGEST_RESULT = 256, 2000, 1024, 2**26
STANDING = ("actual", "chosen", "chosen_tunables", "until_restart")
READ_BY_ANSIBLE = ("group_vars", "host_vars")

Disk = Mapping[str, Any]
Seen = Mapping[str, Mapping[str, Any]]
"""What ``disks_info`` returned, by machine."""


def plausible(seen: object) -> bool:
    """Return whether a machine said of its kernel and its disks what a machine can say."""
    if not isinstance(seen, Mapping) or not _is(KERNEL, seen.get("kernel")):
        return False
    disks = seen.get("disks")
    return isinstance(disks, list) and len(disks) <= MOST_DISKS and all(map(_is_disk, disks))


def _is_disk(disk: object) -> bool:
    if not isinstance(disk, Mapping) or not _is(NAME, disk.get("name")):
        return False
    folder = disk.get("folder")
    return (
        all(_is_text(disk.get(key)) for key in ("model", "vendor", "serial", "wwn"))
        and (folder is None or (_is_text(folder) and str(folder).startswith("/")))
        and _is_standing(disk)
        and isinstance(disk.get("in_trial"), bool)
        and (disk.get("holds") is None or isinstance(disk["holds"], bool))
    )


def _is_standing(disk: object) -> bool:
    """Whether it is what a disk has, and what was chosen for it."""
    if not isinstance(disk, Mapping):
        return False
    tunables = disk.get("chosen_tunables")
    return (
        _is(NAME, disk.get("actual"))
        and all(disk.get(key) is None or _is(NAME, disk[key]) for key in ("chosen", "until_restart"))
        and (tunables is None or (isinstance(tunables, Mapping) and all(map(_is_tunable, tunables.items()))))
    )


def _is_tunable(pair: tuple[object, object]) -> bool:
    value = pair[1] if isinstance(pair[1], int | str) else None
    return _is(TUNABLE, pair[0]) and re.fullmatch(r"-?[0-9]{1,20}", str(value)) is not None


def _is(pattern: re.Pattern[str], found: object) -> bool:
    return isinstance(found, str) and pattern.fullmatch(found) is not None


def _is_text(found: object) -> bool:
    """Whether it can be shown, and is nothing that any program would take for more than words."""
    return isinstance(found, str) and len(found) <= LONGEST and found.isprintable() and not re.search(r"\{[{%#]", found)


def _is_result(content: object) -> bool:
    if not isinstance(content, str) or len(content) > LARGEST_RESULT:
        return False
    try:
        result = json.loads(content)
    except (ValueError, RecursionError):
        return False
    return isinstance(result, dict) and str(result.get("format")).startswith("disktuner.result/")


def _is_share(share: object) -> bool:
    """Whether it is a share of the time in percent; what is measured may exceed the whole by a little."""
    return isinstance(share, float | int) and not isinstance(share, bool) and 0 <= share <= 2 * 100


def _is_change(diff: object) -> bool:
    return isinstance(diff, Mapping) and set(diff) == {"before", "after"} and all(map(_is_standing, diff.values()))


ANSWERS: dict[str, dict[str, Callable[[Any], bool]]] = {
    "disks_info": {
        "kernel": lambda kernel: _is(KERNEL, kernel),
        "disks": lambda disks: plausible({"kernel": "0", "disks": disks}),
    },
    "pressure_info": {"share": _is_share},
    "choice": {"before": _is_standing, "diff": _is_change},
    "comparison": {"result": _is_result},
}
"""What each module of the collection may say, and whether it can be so."""
OUTCOMES = ("failed", "changed", "skipped")


def answer(module: str, said: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return of what a machine said what the module may say; None where it says what cannot be."""
    outcome = {key: said[key] for key in OUTCOMES if key in said}
    kept = {key: said[key] for key in ANSWERS[module] if key in said}
    is_whole = len(kept) == len(ANSWERS[module]) or said.get("failed") is True or said.get("skipped") is True
    if not is_whole or not all(isinstance(value, bool) for value in outcome.values()):
        return None
    if not all(ANSWERS[module][key](value) for key, value in kept.items()):
        return None
    reasons = {key: _shown(said[key]) for key in ("msg", "module_stderr") if key in said}
    return {**outcome, **kept, **({"msg": ""} if outcome.get("failed") else {}), **reasons}


def _shown(words: object) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in str(words)[:LONGEST_REASON])


def own_folder(folder: str, sources: Iterable[str]) -> str:
    """Return where a folder of the controller lies; nothing where Ansible would read variables or hosts in it."""
    place = Path(folder).resolve()
    read = (Path(source).resolve() for source in sources if Path(source).is_dir())
    is_read = any(part in READ_BY_ANSIBLE for part in place.parts) or any(
        place.is_relative_to(source) for source in read
    )
    return "" if is_read else str(place)


def clear(summary: Mapping[str, Any], goal: str) -> list[dict[str, Any]]:
    """Return what a summary clearly chooses for a goal; one says itself whether it is clear."""
    return [
        {"model": group["model"], "kernel": group["kernel"], "setting": group["winner"]}
        for group in summary["groups"]
        if group["goal"] == goal
        and group["decision"] == "switch"
        and group["clear"]
        and _is_text(group["model"])
        and _is(SETTING, group["winner"])
    ]


def unclear(summary: Mapping[str, Any], goal: str) -> list[dict[str, Any]]:
    """Return the groups of a goal that are not rolled out."""
    rolled_out = {(each["model"], each["kernel"]) for each in clear(summary, goal)}
    groups = (group for group in summary["groups"] if group["goal"] == goal)
    return [dict(group) for group in groups if (group["model"], group["kernel"]) not in rolled_out]


def wanted(seen: Mapping[str, Any], choices: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return a machine's disks with the setting that is chosen for their model, the first choice that fits."""
    found = (
        (disk, next((each for each in choices if _fits(each, disk, seen["kernel"])), None)) for disk in seen["disks"]
    )
    return [{**disk, "setting": choice["setting"]} for disk, choice in found if choice is not None]


def to_measure(seen: Seen, machines: int, excluded: Collection[str]) -> dict[str, list[Disk]]:
    """Return the disks to measure by machine: per model and kernel on the first so many, one disk on each."""
    found: dict[str, list[Disk]] = {name: [] for name in seen}
    counts: dict[tuple[str, str], int] = {}
    for name, machine in seen.items():
        here: dict[str, Disk] = {}
        for disk in machine["disks"]:
            if disk["model"] and disk["folder"] and not disk["in_trial"] and name not in excluded:
                here.setdefault(disk["model"], disk)
        for model, disk in here.items():
            key = model, machine["kernel"]
            counts[key] = counts.get(key, 0) + 1
            if counts[key] <= machines:
                found[name].append(disk)
    return found


def canaries(todo: Mapping[str, Iterable[Disk]]) -> list[str]:
    """Return the first machine for each model and setting; one may be the first for several."""
    first: dict[tuple[str, str], str] = {}
    for name, disks in todo.items():
        for disk in disks:
            first.setdefault((disk["model"], disk["setting"]), name)
    return sorted(set(first.values()))


def identity(disk: Disk, disks: Iterable[Disk]) -> str:
    """Return what a disk is known by after a restart, too, as far as it has anything that no other of ``disks`` has."""
    number = disk["wwn"] or disk["serial"]
    shared = sum((other["wwn"] or other["serial"]) == number for other in disks) > 1
    return str(disk["name"] if shared or not number else number)


def records(kept: Iterable[Disk], disks: Sequence[Disk]) -> dict[str, Disk]:
    """Return some of a machine's ``disks`` by what they are known by after a restart, too."""
    return {identity(disk, disks): disk for disk in kept}


def _fits(choice: Mapping[str, Any], disk: Disk, kernel: str) -> bool:
    """Kernels are the same where a choice's is the release, or its beginning up to a dot or hyphen."""
    of_kernel = choice.get("kernel") or ""
    rest = kernel.removeprefix(of_kernel)
    same_kernel = not of_kernel or kernel == of_kernel or (rest != kernel and rest[:1] in (".", "-", "+"))
    same_vendor = choice.get("vendor") in (None, "", disk["vendor"])
    return disk["model"] == choice["model"] and same_vendor and same_kernel


class FilterModule:
    """Ansible's way to them."""

    def filters(self) -> dict[str, Callable[..., Any]]:
        """Return the filters by name."""
        return {
            each.__name__: each
            for each in (clear, unclear, wanted, to_measure, canaries, identity, records, own_folder)
        }
