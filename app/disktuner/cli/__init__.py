# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line: arguments to calls, results to text or JSON."""
