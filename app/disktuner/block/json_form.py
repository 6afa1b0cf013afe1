# SPDX-License-Identifier: GPL-3.0-or-later
"""A disk as ``disktuner list --json`` prints it and as result files keep it, and back again."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from disktuner.block.disk import Disk, Kind, Mount, PersistentChoice, Suggestion, Transport, UntilRestart


def disk_to_json(disk: Disk) -> dict[str, Any]:
    """All that is known of a disk, in plain JSON values."""
    form: dict[str, Any] = {field.name: getattr(disk, field.name) for field in dataclasses.fields(disk)}
    form["kind"] = disk.kind.value
    form["transport"] = disk.transport.value
    form["tunables"] = dict(disk.tunables)
    form["mounts"] = [_mount_to_json(mount) for mount in disk.mounts]
    form["persistent"] = None if disk.persistent is None else _choice_to_json(disk.persistent)
    form["until_restart"] = None if disk.until_restart is None else dataclasses.asdict(disk.until_restart)
    form["suggestion"] = None if disk.suggestion is None else dataclasses.asdict(disk.suggestion)
    for name in ("schedulers", "loadable", "below"):
        form[name] = list(form[name])
    form["compiled_out"] = list(disk.compiled_out)
    return form


def disk_from_json(form: Mapping[str, Any]) -> Disk:
    """The disk of a result file; fields that it does not have get their neutral value, unknown ones are ignored.

    Raises ValueError where a value has a type that no version ever wrote.
    """
    plain: dict[str, Any] = {field.name: form[field.name] for field in dataclasses.fields(Disk) if field.name in form}
    try:
        plain["kind"] = Kind(plain.get("kind", "unknown"))
        plain["transport"] = Transport(plain.get("transport", "unknown"))
        plain["mounts"] = tuple(_mount_from_json(mount) for mount in plain.get("mounts", ()))
        plain["persistent"] = _choice_from_json(plain.get("persistent"))
        plain["until_restart"] = _hold_from_json(plain.get("until_restart"))
        plain["suggestion"] = _suggestion_from_json(plain.get("suggestion"))
        plain["tunables"] = dict(plain.get("tunables", {}))
        for name in ("schedulers", "loadable", "below"):
            plain[name] = tuple(plain.get(name, ()))
        return Disk(**{**_NEUTRAL, **plain})
    except (TypeError, KeyError, AttributeError) as error:
        raise ValueError(f"not a disk: {error}") from error


_NEUTRAL: Mapping[str, Any] = {
    "name": "", "devno": "", "diskseq": 0, "model": "", "vendor": "", "serial": "", "wwn": "", "size_bytes": 0,
    "rotational": False, "kind_certain": False, "removable": False, "zoned": "none", "scheduler": None,
    "tunable": False, "why_not": None,
}  # fmt: skip


def _mount_to_json(mount: Mount) -> dict[str, Any]:
    form = {field.name: getattr(mount, field.name) for field in dataclasses.fields(mount)}
    return {**form, "via": list(mount.via), "options": list(mount.options)}


def _mount_from_json(form: Mapping[str, Any]) -> Mount:
    return Mount(
        form["path"],
        form.get("fstype", ""),
        form.get("source", ""),
        tuple(form.get("via", ())),
        form.get("size_bytes", 0),
        form.get("free_bytes", 0),
        tuple(form.get("options", ())),
    )


def _choice_to_json(choice: PersistentChoice) -> dict[str, Any]:
    return {"scheduler": choice.scheduler, "tunables": dict(choice.tunables), "by_port": choice.by_port}


def _choice_from_json(form: Mapping[str, Any] | None) -> PersistentChoice | None:
    if form is None:
        return None
    return PersistentChoice(form["scheduler"], dict(form.get("tunables", {})), bool(form.get("by_port")))


def _hold_from_json(form: Mapping[str, Any] | None) -> UntilRestart | None:
    return None if form is None else UntilRestart(form["scheduler"], form["since"])


def _suggestion_from_json(form: Mapping[str, Any] | None) -> Suggestion | None:
    return None if form is None else Suggestion(form["scheduler"], form["why"])
