# SPDX-License-Identifier: GPL-3.0-or-later
"""The recorder in the window: its switch, what it kept, and one incident."""
