# SPDX-License-Identifier: GPL-3.0-or-later
"""How static charts look: one painter draws them for the window, for PNG and for SVG."""
