# SPDX-License-Identifier: GPL-3.0-or-later
"""One guided comparison of schedulers: plan, trial, run, judge and store, shared by window and terminal."""
