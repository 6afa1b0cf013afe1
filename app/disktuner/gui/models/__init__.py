# SPDX-License-Identifier: GPL-3.0-or-later
"""What the views of the window show: QtCore only, no widgets."""
