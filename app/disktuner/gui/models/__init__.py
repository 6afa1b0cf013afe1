# SPDX-License-Identifier: GPL-3.0-or-later
"""Item models of the window: QtCore only, no widgets."""
