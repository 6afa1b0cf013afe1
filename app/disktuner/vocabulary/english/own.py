# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences of measuring a program of the user's own."""

from __future__ import annotations

from collections.abc import Mapping

TEXTS: Mapping[str, str | tuple[str, str]] = {
    # the command line
    "help-own": "your own program",
    "help-own-about": "measured instead of a goal's workloads; {{scratch}} in a command is an empty folder on the "
    "tested disk",
    "help-command": "run this command repeatedly, as hyperfine does, and time it from start to exit",
    "help-program": "start this installed program repeatedly: the reads of its start are recorded once and replayed "
    "from files of the same sizes, uncached",
    "help-beside": "what runs in the background (default: nothing; with --program: writes)",
    "help-prepare": "run this before each run, untimed",
    "help-cleanup": "run this once at the end, whatever happens",
    "help-cold": "remove files at or below these paths from memory before each run",
    "help-shell": "the shell that runs the commands, or none (default: sh)",
    "help-ignore-failure": "count failed runs, too",
    "help-timeout": "stop a run of the command after so many seconds (default: 600)",
    "own-needs-command": "These options need a command or program: add --command or --program.",
    "own-has-no-goal": "Your own program replaces a goal's workloads: omit --goal and --workloads.",
    "tunes-as-it-was": "Tuning runs the workloads of the result again: omit --command and --program.",
    "own-program-alone": "{options:list} apply to commands only: omit them with --program.",
    "name-a-workload": "Use --workload, or --command or --program for your own program.",
    "own-empty": "Enter a command or program.",
    "own-not-utf-8": "“{words}” is not valid UTF-8, so no result could keep it. Start in a folder whose name is UTF-8, "
    "and put names that are not into a script.",
    # the window
    "own-what": "Which program?",
    "own-is-command": "A command",
    "own-command-example": "make -C ~/project -B",
    "own-command-about": "The command is run repeatedly, as in a terminal, so it must end by itself. It should use "
    "files on this disk; {{scratch}} is an empty folder there. It is run once before, to see how long it takes.",
    "own-program-about": "The next page starts the program twice and closes it again, to record what its start reads. "
    "If it is open, close it first.",
    "own-beside": "What runs in the background?",
    "own-beside-about": "Schedulers matter most on a busy disk, such as during a copy or an update.",
    "own-beside-example": "cp -r ~/Pictures {{scratch}}",
    # what is measured, as it names its figures
    "own-runs-nothing": "{command}",
    "own-runs-writes": "{command} while files are written",
    "own-runs-reads": "{command} while files are read",
    "own-runs-both": "{command} while files are read and written",
    "own-runs-command": "{command} while {beside} runs",
    "own-starts-nothing": "Starting {program}",
    "own-starts-writes": "Starting {program} while files are written",
    "own-starts-reads": "Starting {program} while files are read",
    "own-starts-both": "Starting {program} while files are read and written",
    "own-starts-command": "Starting {program} while {beside} runs",
    # before the start
    "trying-command": "Checking the disk, and running “{command}” once to see how long it takes…",
    "own-tried": "A first run of “{command}” took {took:time}, read {read:bytes} and wrote {written:bytes}. Later runs "
    "may write more; the command is stopped before the disk is more than 90 % full.",
    "load-tried": "In a trial of {took:time}, the background command “{command}” read {read:bytes} and wrote "
    "{written:bytes}. It is stopped before the disk is more than 90 % full.",
    "own-recorded": (
        "The start of “{program}” was recorded: it reads {read:bytes} from one file. Each run replays this, uncached.",
        "The start of “{program}” was recorded: it reads {read:bytes} from {count} files. Each run replays this, "
        "uncached.",
    ),
    "own-cold": (
        "Before each run, the file given with --cold ({size:bytes}) is removed from memory.",
        "Before each run, the {count} files given with --cold ({size:bytes}) are removed from memory.",
    ),
    "own-will-run": "{shell} runs “{command}” in {folder}.",
    "own-will-run-bare": "“{command}” runs in {folder}, without a shell.",
    "own-will-start": "“{program}” is started.",
    "own-will-prepare": "“{command}” runs before each run.",
    "own-will-clean-up": "“{command}” runs once at the end.",
    "own-from-elsewhere": "You did not measure this result here, and continuing would run its commands. {shown} If you "
    "trust them, start a new comparison with --command or --program.",
    "own-will-run-beside": "“{command}” runs in the tested folder during each run and is stopped afterwards.",
    # comparing results
    "other-program": "“{label:named}” is not compared: the two results measured different programs, or one does not "
    "say which.",
    # what a run lacks
    "own-stays": (
        "A process that the command started as another user could not be stopped and may still run.",
        "{count} processes that the command started as other users could not be stopped and may still run.",
    ),
    "own-in-memory": "The command neither read from a disk nor wrote, so schedulers make no difference. Name its files "
    "with --cold to have them read from the disk.",
    "own-cold-stayed": "{share:percent} of the {size:bytes} given with --cold stayed in memory, because running "
    "programs use them.",
    "own-cold-untold": "{size:bytes} given with --cold belong to other users, so the kernel does not show how much of "
    "them stayed in memory.",
    "load-again": (
        "The background command “{command}” ended early and was started again.",
        "The background command “{command}” ended early and was started again {count} times.",
    ),
    # why a run yields no number
    "own-failed": "“{command}” failed with status {status}: “{output}”. Correct it, or count failures too "
    "(--ignore-failure).",
    "own-failed-silently": "“{command}” failed with status {status} and no output. Correct it, or count failures too "
    "(--ignore-failure).",
    "own-too-slow": "“{command}” was stopped after {limit:time}. Allow more time (--timeout), or use a command that "
    "ends by itself; for programs with a window, use --program.",
    "own-not-started": "“{command}” could not be started: {error}. Check its spelling.",
    "own-fills-disk": "“{command}” was stopped: the disk would have become more than 90 % full. Make it write less, or "
    "free some space.",
    "own-removed-folder": "“{command}” removed the scratch folder or changed its rights. Make it work within "
    "{{scratch}}.",
    "own-files-stay": "“{command}” left files in {folder} that Disktuner cannot remove, such as another user's. Make "
    "it remove them itself.",
    "own-cold-missing": "Not found: {paths}. Name existing files or folders with --cold.",
    "own-cleanup-failed": "The cleanup command failed: {error!s}. Check what it left behind.",
    "load-failed": "The background command “{command}” failed with status {status}: “{output}”. Correct it, or use "
    "another one (--beside).",
    "load-failed-silently": "The background command “{command}” failed with status {status} and no output. Correct it, "
    "or use another one (--beside).",
    "load-idle": "The background command “{command}” hardly used a disk in {took:time}: its data stayed in memory. Use "
    "one that reads or writes more (--beside).",
    "load-fills-disk": "The background command “{command}” was stopped: the disk would have become more than 90 % "
    "full. Make it write less, or free some space.",
}
