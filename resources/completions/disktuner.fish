# SPDX-License-Identifier: GPL-3.0-or-later
# ./dev docs makes this file, with shtab (https://docs.iterative.ai/shtab/).

# Custom Preamble
function _disktuner_disks
  command ls /sys/block
end
function _disktuner_schedulers
  command grep -oh '[a-z][a-z0-9-]*' /sys/block/*/queue/scheduler | command sort -u
end
function _disktuner_results_or_files
  disktuner history 2>/dev/null | command sed -nE 's/^([0-9A-Za-z][^ ]*)  .*/\1/p'
  __fish_complete_path (commandline -ct)
end
function _disktuner_disks_or_dirs
  command ls /sys/block
  __fish_complete_directories
end
# End Custom Preamble

# Parse current commandline:
# - _shtab_disktuner_cmdpath=(sub)command path seen so far
# - _shtab_disktuner_npos=number of positional arguments given after it
# - options are skipped based on _shtab_disktuner_opts_with_value & _shtab_disktuner_commands lists
function _shtab_disktuner_scan
  set -g _shtab_disktuner_cmdpath ''
  set -g _shtab_disktuner_npos 0
  set -l tokens (commandline -opc)
  set -e tokens[1]
  set -l expect_value 0
  for t in $tokens
    if test $expect_value -eq 1
      set expect_value 0
      continue
    end
    switch "$t"
      case '--*=*'
        continue
      case '-*'
        if contains -- $t $_shtab_disktuner_opts_with_value
          set expect_value 1
        end
        continue
      case '*'
        if test $_shtab_disktuner_npos -eq 0
          set -l candidate $t
          if test -n "$_shtab_disktuner_cmdpath"
            set candidate "$_shtab_disktuner_cmdpath $t"
          end
          if contains -- $candidate $_shtab_disktuner_commands
            set -g _shtab_disktuner_cmdpath $candidate
            continue
          end
        end
        set -g _shtab_disktuner_npos (math $_shtab_disktuner_npos + 1)
    end
  end
end

# Condition helper: true if the current (sub)command path equals the given one.
function _shtab_disktuner_using
  _shtab_disktuner_scan
  test "$_shtab_disktuner_cmdpath" = "$argv"
end

set -g _shtab_disktuner_commands list workloads bench compare tune portrait verdict export history set revert forget try-in-daily-use status check monitor watch
set -g _shtab_disktuner_opts_with_value --add --after --as --beside --budget --cleanup --cold --command --compare --continue --count --days --felt --goal --image --interval --note --out --prepare --program --remove --rounds --schedulers --second --seconds --seed --settings --shell --state --sysroot --theme --timeout --to --tunable --workload --workloads -S

complete -c disktuner -e
complete -c disktuner -f

complete -c disktuner -n _shtab_disktuner_using -s h -l help -d 'show this help message and exit'
complete -c disktuner -n _shtab_disktuner_using -l debug -d 'print the log to standard error'
complete -c disktuner -n _shtab_disktuner_using -l version -d 'show the version and exit'
complete -c disktuner -n '_shtab_disktuner_using; and test $_shtab_disktuner_npos -eq 0' -a list -d 'list disks and their schedulers'
complete -c disktuner -n '_shtab_disktuner_using list' -s h -l help -d 'show this help message and exit'
complete -c disktuner -n '_shtab_disktuner_using list' -l json -d 'print a single JSON document'
complete -c disktuner -n '_shtab_disktuner_using list' -l all -d 'list all disks, with more details'
complete -c disktuner -n '_shtab_disktuner_using list' -l goal -xka "desktop copying removable database media server" -d 'suggest what to try first for this goal: desktop, copying, removable, database, media or server (default: desktop)'
complete -c disktuner -n '_shtab_disktuner_using list' -l sysroot -xka "(__fish_complete_directories)" -d 'read DIR/sys, DIR/proc and DIR/run/udev instead of this machine'"'"'s'
complete -c disktuner -n '_shtab_disktuner_using; and test $_shtab_disktuner_npos -eq 0' -a workloads -d 'list the workloads and the programs they need'
complete -c disktuner -n '_shtab_disktuner_using workloads' -s h -l help -d 'show this help message and exit'
complete -c disktuner -n '_shtab_disktuner_using workloads' -l json -d 'print a single JSON document'
complete -c disktuner -n '_shtab_disktuner_using; and test $_shtab_disktuner_npos -eq 0' -a bench -d 'run one workload with the current scheduler'
complete -c disktuner -n '_shtab_disktuner_using bench' -s h -l help -d 'show this help message and exit'
complete -c disktuner -n '_shtab_disktuner_using bench' -l workload -xka "read-latency-under-writes launch-under-reads launch-office use-elsewhere copy-contended copy copy-then-unplug dd-write dd-read raw-read unpack small-files many-clients stream-under-copy commit-log oltp scan pgbench sql-oltp sysbench-rndrw sysbench-rndwr sysbench-rndrd priorities" -d 'the workload to run (see disktuner workloads)'
complete -c disktuner -n '_shtab_disktuner_using bench' -l rounds -x -d 'number of runs (default: 3)'
complete -c disktuner -n '_shtab_disktuner_using bench' -l seconds -x -d 'approximate length of a run (default: 5)'
complete -c disktuner -n '_shtab_disktuner_using bench' -l felt -xka "(__fish_complete_directories)" -d 'a folder on another disk, for a workload whose effect is measured there'
complete -c disktuner -n '_shtab_disktuner_using bench' -l seed -x -d 'repeat the order and random choices of an earlier run'
complete -c disktuner -n '_shtab_disktuner_using bench' -l out -xka "(__fish_complete_path (commandline -ct))" -d 'also write the result to this file'
complete -c disktuner -n '_shtab_disktuner_using bench' -l json -d 'print the result as a single JSON document'
complete -c disktuner -n '_shtab_disktuner_using bench' -l command -x -d 'run this command repeatedly, as hyperfine does, and time it from start to exit'
complete -c disktuner -n '_shtab_disktuner_using bench' -l program -x -d 'start this installed program repeatedly: the reads of its start are recorded once and replayed from files of the same sizes, uncached'
complete -c disktuner -n '_shtab_disktuner_using bench' -l beside -xka "writes reads both nothing" -d 'what runs in the background (default: nothing; with --program: writes)'
complete -c disktuner -n '_shtab_disktuner_using bench' -l prepare -x -d 'run this before each run, untimed'
complete -c disktuner -n '_shtab_disktuner_using bench' -l cleanup -x -d 'run this once at the end, whatever happens'
complete -c disktuner -n '_shtab_disktuner_using bench' -l cold -x -d 'remove files at or below these paths from memory before each run'
complete -c disktuner -n '_shtab_disktuner_using bench' -s S -l shell -x -d 'the shell that runs the commands, or none (default: sh)'
complete -c disktuner -n '_shtab_disktuner_using bench' -s i -l ignore-failure -d 'count failed runs, too'
complete -c disktuner -n '_shtab_disktuner_using bench' -l timeout -x -d 'stop a run of the command after so many seconds (default: 600)'
complete -c disktuner -n '_shtab_disktuner_using bench; and test $_shtab_disktuner_npos -eq 0' -ka "(_disktuner_disks_or_dirs)" -d 'a folder on the disk, or a disk such as sda'
complete -c disktuner -n '_shtab_disktuner_using; and test $_shtab_disktuner_npos -eq 0' -a compare -d 'disktuner compare ~'
complete -c disktuner -n '_shtab_disktuner_using compare' -s h -l help -d 'show this help message and exit'
complete -c disktuner -n '_shtab_disktuner_using compare' -l continue -xka "(_disktuner_results_or_files)" -d 'add rounds to this result (a file, or the beginning or end of its id)'
complete -c disktuner -n '_shtab_disktuner_using compare' -l goal -xka "desktop copying removable database media server" -d 'what the disk is used for: desktop, copying, removable, database, media or server (default: desktop)'
complete -c disktuner -n '_shtab_disktuner_using compare' -l budget -xka "quick standard thorough" -d 'time limit: quick (3 minutes at most), standard (10 minutes at most) or thorough (30 minutes at most) (default: quick)'
complete -c disktuner -n '_shtab_disktuner_using compare' -l schedulers -x -d 'compare only these with the current one'
complete -c disktuner -n '_shtab_disktuner_using compare' -l settings -xka "(_disktuner_schedulers)" -d 'compare these settings with the current scheduler: SCHEDULER or SCHEDULER:NAME=VALUE,…, such as bfq:slice_idle=0 or none:queue/wbt_lat_usec=0'
complete -c disktuner -n '_shtab_disktuner_using compare' -l workloads -xka "read-latency-under-writes launch-under-reads launch-office use-elsewhere copy-contended copy copy-then-unplug dd-write dd-read raw-read unpack small-files many-clients stream-under-copy commit-log oltp scan pgbench sql-oltp sysbench-rndrw sysbench-rndwr sysbench-rndrd priorities" -d 'run only these workloads (see disktuner workloads)'
complete -c disktuner -n '_shtab_disktuner_using compare' -l felt -xka "(__fish_complete_directories)" -d 'measure how a copy to TARGET slows down this folder on another disk, and whether limiting the data that waits in memory for TARGET helps'
complete -c disktuner -n '_shtab_disktuner_using compare' -l state -xka "rested exhausted" -d 'compare on a rested disk, or with its fast cache used up by a writer that never pauses: rested or exhausted (default: rested); the second needs a portrait'
complete -c disktuner -n '_shtab_disktuner_using compare' -l yes -d 'with --state exhausted: write without asking first'
complete -c disktuner -n '_shtab_disktuner_using compare' -l seed -x -d 'repeat the order and random choices of an earlier run'
complete -c disktuner -n '_shtab_disktuner_using compare' -l out -xka "(__fish_complete_path (commandline -ct))" -d 'also write the result to this file'
complete -c disktuner -n '_shtab_disktuner_using compare' -l image -xka "(__fish_complete_path (commandline -ct))" -d 'save a picture of the result (.png or .svg)'
complete -c disktuner -n '_shtab_disktuner_using compare' -l json -d 'print a single JSON document'
complete -c disktuner -n '_shtab_disktuner_using compare' -l command -x -d 'run this command repeatedly, as hyperfine does, and time it from start to exit'
complete -c disktuner -n '_shtab_disktuner_using compare' -l program -x -d 'start this installed program repeatedly: the reads of its start are recorded once and replayed from files of the same sizes, uncached'
complete -c disktuner -n '_shtab_disktuner_using compare' -l beside -xka "writes reads both nothing" -d 'what runs in the background (default: nothing; with --program: writes)'
complete -c disktuner -n '_shtab_disktuner_using compare' -l prepare -x -d 'run this before each run, untimed'
complete -c disktuner -n '_shtab_disktuner_using compare' -l cleanup -x -d 'run this once at the end, whatever happens'
complete -c disktuner -n '_shtab_disktuner_using compare' -l cold -x -d 'remove files at or below these paths from memory before each run'
complete -c disktuner -n '_shtab_disktuner_using compare' -s S -l shell -x -d 'the shell that runs the commands, or none (default: sh)'
complete -c disktuner -n '_shtab_disktuner_using compare' -s i -l ignore-failure -d 'count failed runs, too'
complete -c disktuner -n '_shtab_disktuner_using compare' -l timeout -x -d 'stop a run of the command after so many seconds (default: 600)'
complete -c disktuner -n '_shtab_disktuner_using compare; and test $_shtab_disktuner_npos -eq 0' -ka "(_disktuner_disks_or_dirs)" -d 'a folder on the disk, or a disk such as sda'
complete -c disktuner -n '_shtab_disktuner_using; and test $_shtab_disktuner_npos -eq 0' -a tune -d 'measure whether tuned schedulers beat the best plain one'
complete -c disktuner -n '_shtab_disktuner_using tune' -s h -l help -d 'show this help message and exit'
complete -c disktuner -n '_shtab_disktuner_using tune' -l after -xka "(_disktuner_results_or_files)" -d 'tune the winner of this result (a file, or the beginning or end of its id); otherwise schedulers are compared first'
complete -c disktuner -n '_shtab_disktuner_using tune' -l goal -xka "desktop copying removable database media server" -d 'what the disk is used for: desktop, copying, removable, database, media or server (default: that of RESULT, or desktop)'
complete -c disktuner -n '_shtab_disktuner_using tune' -l budget -xka "quick standard thorough" -d 'time limit: quick (3 minutes at most), standard (10 minutes at most) or thorough (30 minutes at most) (default: standard)'
complete -c disktuner -n '_shtab_disktuner_using tune' -l workloads -xka "read-latency-under-writes launch-under-reads launch-office use-elsewhere copy-contended copy copy-then-unplug dd-write dd-read raw-read unpack small-files many-clients stream-under-copy commit-log oltp scan pgbench sql-oltp sysbench-rndrw sysbench-rndwr sysbench-rndrd priorities" -d 'run only these workloads (see disktuner workloads)'
complete -c disktuner -n '_shtab_disktuner_using tune' -l seed -x -d 'repeat the order and random choices of an earlier run'
complete -c disktuner -n '_shtab_disktuner_using tune' -l out -xka "(__fish_complete_path (commandline -ct))" -d 'also write the result to this file'
complete -c disktuner -n '_shtab_disktuner_using tune' -l image -xka "(__fish_complete_path (commandline -ct))" -d 'save a picture of the result (.png or .svg)'
complete -c disktuner -n '_shtab_disktuner_using tune' -l json -d 'print a single JSON document'
complete -c disktuner -n '_shtab_disktuner_using tune' -l command -x -d 'run this command repeatedly, as hyperfine does, and time it from start to exit'
complete -c disktuner -n '_shtab_disktuner_using tune' -l program -x -d 'start this installed program repeatedly: the reads of its start are recorded once and replayed from files of the same sizes, uncached'
complete -c disktuner -n '_shtab_disktuner_using tune' -l beside -xka "writes reads both nothing" -d 'what runs in the background (default: nothing; with --program: writes)'
complete -c disktuner -n '_shtab_disktuner_using tune' -l prepare -x -d 'run this before each run, untimed'
complete -c disktuner -n '_shtab_disktuner_using tune' -l cleanup -x -d 'run this once at the end, whatever happens'
complete -c disktuner -n '_shtab_disktuner_using tune' -l cold -x -d 'remove files at or below these paths from memory before each run'
complete -c disktuner -n '_shtab_disktuner_using tune' -s S -l shell -x -d 'the shell that runs the commands, or none (default: sh)'
complete -c disktuner -n '_shtab_disktuner_using tune' -s i -l ignore-failure -d 'count failed runs, too'
complete -c disktuner -n '_shtab_disktuner_using tune' -l timeout -x -d 'stop a run of the command after so many seconds (default: 600)'
complete -c disktuner -n '_shtab_disktuner_using tune; and test $_shtab_disktuner_npos -eq 0' -ka "(_disktuner_disks_or_dirs)" -d 'a folder on the disk, or a disk such as sda'
complete -c disktuner -n '_shtab_disktuner_using; and test $_shtab_disktuner_npos -eq 0' -a portrait -d 'show where a disk'"'"'s fast cache ends and what remains'
complete -c disktuner -n '_shtab_disktuner_using portrait' -s h -l help -d 'show this help message and exit'
complete -c disktuner -n '_shtab_disktuner_using portrait' -l last -d 'show the disk'"'"'s last portrait instead of measuring'
complete -c disktuner -n '_shtab_disktuner_using portrait' -l yes -d 'write without asking first'
complete -c disktuner -n '_shtab_disktuner_using portrait' -l image -xka "(__fish_complete_path (commandline -ct))" -d 'also save a picture (.png or .svg) of 1200×630'
complete -c disktuner -n '_shtab_disktuner_using portrait' -l json -d 'print a single JSON document'
complete -c disktuner -n '_shtab_disktuner_using portrait; and test $_shtab_disktuner_npos -eq 0' -ka "(_disktuner_disks_or_dirs)" -d 'a folder on the disk, or a disk such as sda'
complete -c disktuner -n '_shtab_disktuner_using; and test $_shtab_disktuner_npos -eq 0' -a verdict -d 'show the verdict of a result again'
complete -c disktuner -n '_shtab_disktuner_using verdict' -s h -l help -d 'show this help message and exit'
complete -c disktuner -n '_shtab_disktuner_using verdict' -l json -d 'print a single JSON document'
complete -c disktuner -n '_shtab_disktuner_using verdict' -l all -d 'show all figures with their intervals'
complete -c disktuner -n '_shtab_disktuner_using verdict' -l goal -xka "desktop copying removable database media server" -d 'judge the result for another goal, if it has the measurements: desktop, copying, removable, database, media or server'
complete -c disktuner -n '_shtab_disktuner_using verdict; and test $_shtab_disktuner_npos -eq 0' -ka "(_disktuner_results_or_files)" -d 'a result file (.json), a picture saved by Disktuner, or the beginning or end of an id'
complete -c disktuner -n '_shtab_disktuner_using; and test $_shtab_disktuner_npos -eq 0' -a export -d 'save a result as a picture, report or table'
complete -c disktuner -n '_shtab_disktuner_using export' -s h -l help -d 'show this help message and exit'
complete -c disktuner -n '_shtab_disktuner_using export' -l to -xka "(__fish_complete_path (commandline -ct))" -d 'the file to write; its suffix sets the format: .png, .svg, .html, .md, .csv or .json'
complete -c disktuner -n '_shtab_disktuner_using export' -l as -xka "udev" -d 'write files to the folder OUT that set the winner on all machines with such a disk: udev'
complete -c disktuner -n '_shtab_disktuner_using export' -l theme -xka "light dark" -d 'colours of the picture (default: light)'
complete -c disktuner -n '_shtab_disktuner_using export' -l personal -d 'keep serial numbers, paths and notes'
complete -c disktuner -n '_shtab_disktuner_using export; and test $_shtab_disktuner_npos -eq 0' -ka "(_disktuner_results_or_files)" -d 'a result file (.json), a picture saved by Disktuner, or the beginning or end of an id'
complete -c disktuner -n '_shtab_disktuner_using; and test $_shtab_disktuner_npos -eq 0' -a history -d 'list, compare, annotate and remove results'
complete -c disktuner -n '_shtab_disktuner_using history' -s h -l help -d 'show this help message and exit'
complete -c disktuner -n '_shtab_disktuner_using history' -l json -d 'print a single JSON document'
complete -c disktuner -n '_shtab_disktuner_using history' -l all -d 'list older results, too'
complete -c disktuner -n '_shtab_disktuner_using history' -l compare -xka "(_disktuner_results_or_files)" -d 'show the changes from the first result to the second'
complete -c disktuner -n '_shtab_disktuner_using history' -l add -xka "(__fish_complete_path (commandline -ct))" -d 'import a result file, or a picture saved by Disktuner'
complete -c disktuner -n '_shtab_disktuner_using history' -l note -xka "(_disktuner_results_or_files)" -d 'add a note to a result'
complete -c disktuner -n '_shtab_disktuner_using history' -l remove -xka "(_disktuner_results_or_files)" -d 'delete a result permanently'
complete -c disktuner -n '_shtab_disktuner_using history' -l tidy -d 'remove files left by interrupted measurements'
complete -c disktuner -n '_shtab_disktuner_using; and test $_shtab_disktuner_npos -eq 0' -a set -d 'set a disk'"'"'s scheduler, until the next restart or permanently'
complete -c disktuner -n '_shtab_disktuner_using set' -s h -l help -d 'show this help message and exit'
complete -c disktuner -n '_shtab_disktuner_using set' -l tunable -x -d 'also set this tunable, such as queue/nr_requests=128 or iosched/low_latency=0; may be repeated'
complete -c disktuner -n '_shtab_disktuner_using set' -l persist -d 'make the choice permanent'
complete -c disktuner -n '_shtab_disktuner_using set' -l insist -d 'change a zoned disk while nothing is written to it, although it may hang'
complete -c disktuner -n '_shtab_disktuner_using set; and test $_shtab_disktuner_npos -eq 0' -ka "(_disktuner_disks)" -d 'a disk, such as sda or /dev/sda'
complete -c disktuner -n '_shtab_disktuner_using set; and test $_shtab_disktuner_npos -eq 1' -ka "(_disktuner_schedulers)" -d 'a scheduler offered for the disk (see disktuner list), with tunables if you like: bfq:slice_idle=0'
complete -c disktuner -n '_shtab_disktuner_using; and test $_shtab_disktuner_npos -eq 0' -a revert -d 'undo Disktuner'"'"'s changes to a disk'
complete -c disktuner -n '_shtab_disktuner_using revert' -s h -l help -d 'show this help message and exit'
complete -c disktuner -n '_shtab_disktuner_using revert' -l all -d 'all disks changed by Disktuner'
complete -c disktuner -n '_shtab_disktuner_using revert; and test $_shtab_disktuner_npos -eq 0' -ka "(_disktuner_disks)" -d 'a disk, such as sda or /dev/sda'
complete -c disktuner -n '_shtab_disktuner_using; and test $_shtab_disktuner_npos -eq 0' -a forget -d 'remove a disk'"'"'s permanent choice'
complete -c disktuner -n '_shtab_disktuner_using forget' -s h -l help -d 'show this help message and exit'
complete -c disktuner -n '_shtab_disktuner_using forget' -l all -d 'all permanent choices'
complete -c disktuner -n '_shtab_disktuner_using forget; and test $_shtab_disktuner_npos -eq 0' -ka "(_disktuner_disks)" -d 'a disk, such as sda or /dev/sda'
complete -c disktuner -n '_shtab_disktuner_using; and test $_shtab_disktuner_npos -eq 0' -a try-in-daily-use -d 'alternate between two settings while you use the computer, to see which feels better'
complete -c disktuner -n '_shtab_disktuner_using try-in-daily-use' -s h -l help -d 'show this help message and exit'
complete -c disktuner -n '_shtab_disktuner_using try-in-daily-use' -l status -d 'show the trial and what is known so far'
complete -c disktuner -n '_shtab_disktuner_using try-in-daily-use' -l pause -d 'stop counting and switching until --continue'
complete -c disktuner -n '_shtab_disktuner_using try-in-daily-use' -l continue -d 'continue after a pause'
complete -c disktuner -n '_shtab_disktuner_using try-in-daily-use' -l stop -d 'end the trial now and undo it'
complete -c disktuner -n '_shtab_disktuner_using try-in-daily-use' -l run -d 'run the trial here (the user'"'"'s systemd does this)'
complete -c disktuner -n '_shtab_disktuner_using try-in-daily-use' -l settings -x -d 'the two settings, such as mq-deadline bfq; the first is the baseline'
complete -c disktuner -n '_shtab_disktuner_using try-in-daily-use' -l days -xka "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31" -d 'number of days, 31 at most (default: 7)'
complete -c disktuner -n '_shtab_disktuner_using try-in-daily-use' -l json -d 'print a single JSON document'
complete -c disktuner -n '_shtab_disktuner_using try-in-daily-use; and test $_shtab_disktuner_npos -eq 0' -ka "(_disktuner_disks)" -d 'a disk, such as sda or /dev/sda'
complete -c disktuner -n '_shtab_disktuner_using; and test $_shtab_disktuner_npos -eq 0' -a status -d 'show chosen and actual schedulers, and what else sets them'
complete -c disktuner -n '_shtab_disktuner_using status' -s h -l help -d 'show this help message and exit'
complete -c disktuner -n '_shtab_disktuner_using status' -l json -d 'print a single JSON document'
complete -c disktuner -n '_shtab_disktuner_using status' -l all -d 'show all disks, with the time of the last change and the previous scheduler'
complete -c disktuner -n '_shtab_disktuner_using status' -l sysroot -xka "(__fish_complete_directories)" -d 'read DIR/sys, DIR/proc and DIR/run/udev instead of this machine'"'"'s'
complete -c disktuner -n '_shtab_disktuner_using; and test $_shtab_disktuner_npos -eq 0' -a check -d 'find what slows the disks down, and what set it'
complete -c disktuner -n '_shtab_disktuner_using check' -s h -l help -d 'show this help message and exit'
complete -c disktuner -n '_shtab_disktuner_using check' -l json -d 'print a single JSON document'
complete -c disktuner -n '_shtab_disktuner_using check' -l sysroot -xka "(__fish_complete_directories)" -d 'read DIR/sys, DIR/proc and DIR/run/udev instead of this machine'"'"'s'
complete -c disktuner -n '_shtab_disktuner_using check; and test $_shtab_disktuner_npos -eq 0' -ka "(_disktuner_disks)" -d 'check only this disk (default: all)'
complete -c disktuner -n '_shtab_disktuner_using; and test $_shtab_disktuner_npos -eq 0' -a monitor -d 'show disk activity'
complete -c disktuner -n '_shtab_disktuner_using monitor' -s h -l help -d 'show this help message and exit'
complete -c disktuner -n '_shtab_disktuner_using monitor' -l interval -x -d 'seconds between updates (default: 1)'
complete -c disktuner -n '_shtab_disktuner_using monitor' -l count -x -d 'stop after N updates (default: on Ctrl+C)'
complete -c disktuner -n '_shtab_disktuner_using monitor' -l json -d 'print one JSON document per interval'
complete -c disktuner -n '_shtab_disktuner_using monitor' -l all -d 'show all columns of iostat -x'
complete -c disktuner -n '_shtab_disktuner_using monitor; and test $_shtab_disktuner_npos -ge 0' -ka "(_disktuner_disks)" -d 'only these disks (default: all)'
complete -c disktuner -n '_shtab_disktuner_using; and test $_shtab_disktuner_npos -eq 0' -a watch -d 'the flight recorder: why programs froze'
complete -c disktuner -n '_shtab_disktuner_using watch' -s h -l help -d 'show this help message and exit'
complete -c disktuner -n '_shtab_disktuner_using watch' -l now -d 'keep the last minutes as an incident now'
complete -c disktuner -n '_shtab_disktuner_using watch' -l record -d 'record until Ctrl+C'
complete -c disktuner -n '_shtab_disktuner_using watch' -l image -xka "(__fish_complete_path (commandline -ct))" -d 'save the picture of the incident (.png)'
complete -c disktuner -n '_shtab_disktuner_using watch' -l second -xka "(__fish_complete_directories)" -d 'folder on another disk for incidents that cannot be saved on the usual one (none: no second folder)'
complete -c disktuner -n '_shtab_disktuner_using watch' -l json -d 'print a single JSON document'
