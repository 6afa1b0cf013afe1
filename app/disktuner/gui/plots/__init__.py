# SPDX-License-Identifier: GPL-3.0-or-later
"""Live graphs and charts."""
