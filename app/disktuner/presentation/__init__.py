# SPDX-License-Identifier: GPL-3.0-or-later
"""A result and its verdict as people see them: rows, figures with units, sentences; what shows them only draws."""
