# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls to the privileged helper over D-Bus, its errors as exceptions, a trial as a context manager."""
