# SPDX-License-Identifier: GPL-3.0-or-later
"""The privileged helper: a root service on the system bus that sets I/O schedulers and nothing else."""

from pathlib import Path

_INSTALLED = Path(__file__).parents[1] / "version"
__version__ = _INSTALLED.read_text(encoding="utf-8").split()[0] if _INSTALLED.exists() else "checkout"
