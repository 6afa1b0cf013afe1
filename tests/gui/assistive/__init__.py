# SPDX-License-Identifier: GPL-3.0-or-later
"""The window as a screen reader meets it: on its own screen and session bus, through AT-SPI."""
