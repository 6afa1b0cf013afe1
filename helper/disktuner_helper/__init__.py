# SPDX-License-Identifier: GPL-3.0-or-later
"""The privileged helper: a root service on the system bus that sets I/O schedulers and nothing else."""

__version__ = "0.1.0"
