# SPDX-License-Identifier: GPL-3.0-or-later
"""Private database servers: in the tested folder, as the user, without a network port, gone with the run."""
