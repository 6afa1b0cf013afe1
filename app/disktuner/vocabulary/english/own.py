# SPDX-License-Identifier: GPL-3.0-or-later
"""The sentences of measuring a program of the user's own."""

from __future__ import annotations

from collections.abc import Mapping

TEXTS: Mapping[str, str | tuple[str, str]] = {
    # the command line
    "help-own": "a program of yours",
    "help-own-about": "measured instead of a goal's workloads; {{scratch}} in a command stands for a folder of its own "
    "on the tested disk",
    "help-command": "run this again and again, as hyperfine does: its time from start to exit counts",
    "help-program": "start this installed program again and again: what its start reads is recorded once and read "
    "again, cold, from files of the same sizes",
    "help-beside": "what runs beside it: nothing, writes, reads, both, or a command of yours, which is ended after "
    "each run (nothing; with --program: writes)",
    "help-prepare": "run this before each run, untimed",
    "help-cleanup": "run this once at the very end, whatever happened",
    "help-cold": "take the files at or below these paths out of memory before each run",
    "help-shell": "the shell that runs the commands, or none (sh)",
    "help-ignore-failure": "count runs that end with an error, too",
    "help-timeout": "end a run of the command after so many seconds (600)",
    "own-needs-command": "These options say more about a command: name it with --command, or a program with --program.",
    "own-has-no-goal": "A program of yours takes the place of a goal's workloads: leave --goal and --workloads out.",
    "own-program-alone": "{options:list} say more about a command: leave them out with --program.",
    "name-a-workload": "Name either a workload with --workload, or a program of yours with --command or --program.",
    "own-empty": "Name what is to be run.",
    # the window
    "own-what": "Which program?",
    "own-is-command": "A command",
    "own-command-example": "make -C ~/project -B",
    "own-command-about": "It is run again and again as in a terminal, so it must end by itself, and it tells something "
    "only if it uses files on this disk; {{scratch}} stands for an empty folder there. To see how long it takes, it is "
    "run once on the next page.",
    "own-program-about": "To see what its start reads, it is started twice on the next page and closed again. Close it "
    "before, if it is open.",
    "own-beside": "What runs beside it?",
    "own-beside-example": "cp -r ~/Pictures {{scratch}}",
    "own-beside-about": "A disk is slowest when it is busy with something else, such as a copy or an update: that is "
    "when a scheduler matters most.",
    # what is measured, as it names its figures
    "own-runs-nothing": "{command}",
    "own-runs-writes": "{command} while files are written",
    "own-runs-reads": "{command} while files are read",
    "own-runs-both": "{command} while files are read and written",
    "own-runs-command": "{command} beside {beside}",
    "own-starts-nothing": "Starting {program}",
    "own-starts-writes": "Starting {program} while files are written",
    "own-starts-reads": "Starting {program} while files are read",
    "own-starts-both": "Starting {program} while files are read and written",
    "own-starts-command": "Starting {program} beside {beside}",
    # before the start
    "trying-command": "Looking at the disk, and running “{command}” once to see how long it takes…",
    "own-tried": "Run once alone, “{command}” took {took:time}, read {read:bytes} from disks and wrote "
    "{written:bytes}. What it will write later nobody can know; it is ended before the disk is more than 90 % full.",
    "load-tried": "Run alone for {took:time}, the load “{command}” read {read:bytes} from disks and wrote "
    "{written:bytes}. It is ended before the disk is more than 90 % full.",
    "load-in-background": "The load “{command}” left programs in the background: what they do counts, too, and they "
    "are ended with it.",
    "load-killed": "The load “{command}” did not end when it was asked to (SIGTERM), and was killed.",
    "own-recorded": (
        "The start of “{program}” was recorded: it reads {read:bytes} of one file. That is read again here, cold.",
        "The start of “{program}” was recorded: it reads {read:bytes} of {count} files. That is read again here, cold.",
    ),
    "own-cold": (
        "All {size:bytes} of the file that shall be cold leave the memory before it starts.",
        "All {size:bytes} of the {count} files that shall be cold leave the memory before it starts.",
    ),
    "own-will-run": "In {folder}, {shell} runs “{command}”.",
    "own-will-run-bare": "In {folder}, “{command}” is run without a shell.",
    "own-will-start": "The program “{program}” is started.",
    "own-will-prepare": "Before each run, “{command}” is run.",
    "own-will-clean-up": "At the very end, “{command}” is run.",
    "own-will-run-beside": "Beside each run, “{command}” is run in the tested folder, and ended with all it started.",
    "own-from-elsewhere": "You did not measure this result here, and to measure on would run what it says. {shown} If "
    "you trust all of that, compare anew with --command or --program.",
    # comparing results
    "other-program": "“{label:named}” cannot be compared: the two results measured different programs, or one does not "
    "say which.",
    # what a run lacks
    "own-stays": (
        "A process that the command started as another user could not be ended and may go on.",
        "{count} processes that the command started as other users could not be ended and may go on.",
    ),
    "load-again": (
        "The load “{command}” ended before what is measured, and was started again.",
        "The load “{command}” ended before what is measured, and was started again {count} times.",
    ),
    "own-in-memory": "The command read nothing from a disk and wrote nothing, so no scheduler can make it faster; name "
    "its files with --cold, so that they are read from the disk.",
    "own-cold-stayed": "{share:percent} of the {size:bytes} that should be cold stayed in memory: running programs "
    "use them.",
    "own-cold-untold": "{size:bytes} that should be cold belong to other users, and the kernel does not say how "
    "much of them stayed in memory.",
    # why a run yields no number
    "own-failed": "“{command}” failed with status {status} and printed: “{output}”. Correct it, or count failures too "
    "(--ignore-failure).",
    "own-failed-silently": "“{command}” failed with status {status} and printed nothing. Correct it, or count failures "
    "too (--ignore-failure).",
    "load-failed": "The load “{command}” failed with status {status} and printed: “{output}”. Correct it, or let "
    "something else run beside.",
    "load-failed-silently": "The load “{command}” failed with status {status} and printed nothing. Correct it, or let "
    "something else run beside.",
    "load-idle": "The load “{command}” hardly used a disk in {took:time}: what it read was in memory, or what it wrote "
    "stayed there. Name one that uses more.",
    "load-fills-disk": "The load “{command}” was ended because the disk would have become more than 90 % full. Give it "
    "less to write, or make room.",
    "own-too-slow": "“{command}” had not ended after {limit:time} and was ended. Give it more time (--timeout), or "
    "name a command that ends by itself: programs with a window are started with --program.",
    "own-not-started": "“{command}” could not be started: {error}. Is it spelled as in a terminal?",
    "own-not-understood": "“{command}” cannot be taken apart into words: {error}. Close its quotation marks.",
    "own-fills-disk": "“{command}” was ended because the disk would have become more than 90 % full. Give it less to "
    "write, or make room.",
    "own-removed-folder": "“{command}” removed the scratch folder around it. Let it stay within {{scratch}}.",
    "own-cold-missing": "There is no file at {paths}, which should be cold: name files or folders that there are.",
    "own-closed-folder": "Nothing can be created any more in the scratch folder of “{command}”: its rights were "
    "changed. Let the command leave them alone.",
    "own-cleanup-failed": "What should clean up failed: {error!s}. Look what it left.",
}
