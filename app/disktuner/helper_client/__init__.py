# SPDX-License-Identifier: GPL-3.0-or-later
"""The typed client of the privileged helper: its calls as values, its errors, a trial as a context manager."""
