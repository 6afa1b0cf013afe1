# SPDX-License-Identifier: GPL-3.0-or-later
"""The window as a screen reader meets it: on a screen and a session bus of its own, through AT-SPI."""
