# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes out of a result what would name a person or a single device, before it is shown to others."""

from __future__ import annotations

import getpass
import platform
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from disktuner.results.model import Result
from disktuner.vocabulary.messages import cleaned

_KEPT_OF_DISK = (
    "model",
    "vendor",
    "size_bytes",
    "kind",
    "transport",
    "rotational",
    "kind_certain",
    "removable",
    "zoned",
    "scheduler",
    "schedulers",
    "tunables",
)
_NAME = re.compile(r"[a-z0-9_-]{1,40}")
_PATH = re.compile(r"(?<![\w/])/(?:[^\s/'\"]+/?)+")


def anonymous(result: Result) -> Result:
    """Return the result without serial, WWN, host, user, paths, kernel command line, notes and unknown keys.

    Free texts that others wrote (reasons of samples, warnings) lose every path and the names of host and
    user.
    """
    clean = _Cleaner(result)
    return replace(
        result,
        machine=replace(result.machine, cmdline="", kernel=clean(result.machine.kernel)),
        disk={key: clean.value(result.disk[key]) for key in _KEPT_OF_DISK if key in result.disk},
        filesystem=replace(
            result.filesystem,
            path="",
            options=tuple(option for option in result.filesystem.options if "/" not in option),
            via=(),
        ),
        samples=tuple(
            replace(sample, reason=cleaned(sample.reason, clean)) if sample.reason else sample
            for sample in result.samples
        ),
        warnings=tuple(cleaned(warning, clean) for warning in result.warnings),
        notes="",
        extra=_harmless(result.extra),
    )


def _harmless(extra: Mapping[str, Any]) -> dict[str, Any]:
    """Keep the sizes of the runs and the distributions of latencies: numbers under the names of workloads and figures.

    Both are needed to draw the same graphs again and to compare results; anything else in their place is dropped.
    """
    return {key: extra[key] for key in ("sizes", "histograms") if key in extra and _only_numbers(extra[key])}


def _only_numbers(value: object) -> bool:
    if isinstance(value, Mapping):
        return all(_NAME.fullmatch(str(key)) and _only_numbers(each) for key, each in value.items())
    if isinstance(value, list | tuple):
        return all(_only_numbers(each) for each in value)
    return value is None or isinstance(value, int | float)


class _Cleaner:
    """Replaces what must not be told in a text by an ellipsis."""

    def __init__(self, result: Result) -> None:
        names = {str(result.disk.get("serial") or ""), str(result.disk.get("wwn") or "")}
        names |= {platform.node(), _user(), Path.home().name}
        secrets = sorted((re.escape(name) for name in names if len(name) > 2), key=len, reverse=True)
        self._names = re.compile(rf"(?<!\w)(?:{'|'.join(secrets)})(?!\w)") if secrets else None

    def value(self, value: Any) -> Any:
        """A text cleaned (a bridge may put its serial into the model), anything else as it is."""
        return self(value) if isinstance(value, str) else value

    def __call__(self, text: str) -> str:
        without = _PATH.sub("…", text)
        return self._names.sub("…", without) if self._names else without


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""
