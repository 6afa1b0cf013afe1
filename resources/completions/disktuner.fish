# SPDX-License-Identifier: GPL-3.0-or-later
# ./dev docs makes this file, with shtab (https://docs.iterative.ai/shtab/).

# Custom Preamble
function _disktuner_disks
  command ls /sys/block
end
function _disktuner_schedulers
  command grep -oh '[a-z][a-z0-9-]*' /sys/block/*/queue/scheduler | command sort -u
end
function _disktuner_results
  disktuner history 2>/dev/null | command sed -nE '1d;s/^.*  ([0-9A-Za-z][^ ]*)$/\1/p'
  __fish_complete_path (commandline -ct)
end
function _disktuner_targets
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

set -g _shtab_disktuner_commands list workloads bench compare tune verdict export summary history set revert forget status check monitor
set -g _shtab_disktuner_opts_with_value --add --after --as --beside --budget --cleanup --cold --command --compare --continue --count --goal --html --hwdb --image --interval --note --out --prepare --program --remove --rounds --schedulers --seconds --seed --settings --shell --sysroot --theme --timeout --to --tunable --workload --workloads -S

complete -c disktuner -e
complete -c disktuner -f

complete -c disktuner -n _shtab_disktuner_using -s h -l help -d 'show this help message and exit'
complete -c disktuner -n _shtab_disktuner_using -l debug -d 'show on standard error what is logged'
complete -c disktuner -n _shtab_disktuner_using -l version -d 'show the version and exit'
complete -c disktuner -n '_shtab_disktuner_using; and test $_shtab_disktuner_npos -eq 0' -a list -d 'list the disks and their schedulers'
complete -c disktuner -n '_shtab_disktuner_using list' -s h -l help -d 'show this help message and exit'
complete -c disktuner -n '_shtab_disktuner_using list' -l json -d 'print one JSON document and nothing else'
complete -c disktuner -n '_shtab_disktuner_using list' -l goal -xka "desktop copying database media server" -d 'suggest a scheduler to try first for this goal: desktop, copying, database, media or server (default: desktop)'
complete -c disktuner -n '_shtab_disktuner_using list' -l sysroot -xka "(__fish_complete_directories)" -d 'read DIR/sys, DIR/proc and DIR/run/udev instead of this machine'"'"'s'
complete -c disktuner -n '_shtab_disktuner_using; and test $_shtab_disktuner_npos -eq 0' -a workloads -d 'list what can be measured, with which program'
complete -c disktuner -n '_shtab_disktuner_using workloads' -s h -l help -d 'show this help message and exit'
complete -c disktuner -n '_shtab_disktuner_using workloads' -l json -d 'print one JSON document and nothing else'
complete -c disktuner -n '_shtab_disktuner_using; and test $_shtab_disktuner_npos -eq 0' -a bench -d 'run one workload with the current scheduler'
complete -c disktuner -n '_shtab_disktuner_using bench' -s h -l help -d 'show this help message and exit'
complete -c disktuner -n '_shtab_disktuner_using bench' -l workload -xka "read-latency-under-writes launch-under-reads launch-office copy-contended copy dd-write dd-read raw-read unpack small-files many-clients stream-under-copy commit-log oltp scan pgbench sql-oltp sysbench-rndrw sysbench-rndwr sysbench-rndrd priorities" -d 'the workload to run (see disktuner workloads)'
complete -c disktuner -n '_shtab_disktuner_using bench' -l rounds -x -d 'how many runs (default: 3)'
complete -c disktuner -n '_shtab_disktuner_using bench' -l seconds -x -d 'about how long one run takes (default: 5)'
complete -c disktuner -n '_shtab_disktuner_using bench' -l seed -x -d 'repeat the order and random choices of an earlier run'
complete -c disktuner -n '_shtab_disktuner_using bench' -l out -xka "(__fish_complete_path (commandline -ct))" -d 'write the result file there, too'
complete -c disktuner -n '_shtab_disktuner_using bench' -l json -d 'print the result as one JSON document'
complete -c disktuner -n '_shtab_disktuner_using bench' -l command -x -d 'run this again and again, as hyperfine does: its time from start to exit counts'
complete -c disktuner -n '_shtab_disktuner_using bench' -l program -x -d 'start this installed program again and again: what its start reads is recorded once and read again, cold, from files of the same sizes'
complete -c disktuner -n '_shtab_disktuner_using bench' -l beside -xka "writes reads both nothing" -d 'what runs beside it: nothing, writes, reads, both, or a command of yours, which is ended after each run (nothing; with --program: writes)'
complete -c disktuner -n '_shtab_disktuner_using bench' -l prepare -x -d 'run this before each run, untimed'
complete -c disktuner -n '_shtab_disktuner_using bench' -l cleanup -x -d 'run this once at the very end, whatever happened'
complete -c disktuner -n '_shtab_disktuner_using bench' -l cold -x -d 'take the files at or below these paths out of memory before each run'
complete -c disktuner -n '_shtab_disktuner_using bench' -s S -l shell -x -d 'the shell that runs the commands, or none (sh)'
complete -c disktuner -n '_shtab_disktuner_using bench' -s i -l ignore-failure -d 'count runs that end with an error, too'
complete -c disktuner -n '_shtab_disktuner_using bench' -l timeout -x -d 'end a run of the command after so many seconds (600)'
complete -c disktuner -n '_shtab_disktuner_using bench; and test $_shtab_disktuner_npos -eq 0' -ka "(_disktuner_targets)" -d 'a folder on the disk, or a disk such as sda'
complete -c disktuner -n '_shtab_disktuner_using; and test $_shtab_disktuner_npos -eq 0' -a compare -d 'find the best scheduler for a goal by measuring'
complete -c disktuner -n '_shtab_disktuner_using compare' -s h -l help -d 'show this help message and exit'
complete -c disktuner -n '_shtab_disktuner_using compare' -l continue -xka "(_disktuner_results)" -d 'add rounds to this result (a file, or how the id of one that is kept begins)'
complete -c disktuner -n '_shtab_disktuner_using compare' -l goal -xka "desktop copying database media server" -d 'what the disk is used for: desktop, copying, database, media or server (default: desktop)'
complete -c disktuner -n '_shtab_disktuner_using compare' -l budget -xka "quick standard thorough" -d 'how long it may take: quick (3 minutes at most), standard (10 minutes at most) or thorough (30 minutes at most) (default: quick)'
complete -c disktuner -n '_shtab_disktuner_using compare' -l schedulers -x -d 'compare only these and the current one'
complete -c disktuner -n '_shtab_disktuner_using compare' -l settings -xka "(_disktuner_schedulers)" -d 'compare these settings and the current scheduler: SCHEDULER or SCHEDULER:NAME=VALUE,…, such as bfq:slice_idle=0 or none:queue/wbt_lat_usec=0'
complete -c disktuner -n '_shtab_disktuner_using compare' -l workloads -xka "read-latency-under-writes launch-under-reads launch-office copy-contended copy dd-write dd-read raw-read unpack small-files many-clients stream-under-copy commit-log oltp scan pgbench sql-oltp sysbench-rndrw sysbench-rndwr sysbench-rndrd priorities" -d 'run only these (see disktuner workloads)'
complete -c disktuner -n '_shtab_disktuner_using compare' -l seed -x -d 'repeat the order and random choices of an earlier run'
complete -c disktuner -n '_shtab_disktuner_using compare' -l out -xka "(__fish_complete_path (commandline -ct))" -d 'write the result file there, too'
complete -c disktuner -n '_shtab_disktuner_using compare' -l image -xka "(__fish_complete_path (commandline -ct))" -d 'save a picture of the result (.png or .svg)'
complete -c disktuner -n '_shtab_disktuner_using compare' -l json -d 'print one JSON document and nothing else'
complete -c disktuner -n '_shtab_disktuner_using compare' -l command -x -d 'run this again and again, as hyperfine does: its time from start to exit counts'
complete -c disktuner -n '_shtab_disktuner_using compare' -l program -x -d 'start this installed program again and again: what its start reads is recorded once and read again, cold, from files of the same sizes'
complete -c disktuner -n '_shtab_disktuner_using compare' -l beside -xka "writes reads both nothing" -d 'what runs beside it: nothing, writes, reads, both, or a command of yours, which is ended after each run (nothing; with --program: writes)'
complete -c disktuner -n '_shtab_disktuner_using compare' -l prepare -x -d 'run this before each run, untimed'
complete -c disktuner -n '_shtab_disktuner_using compare' -l cleanup -x -d 'run this once at the very end, whatever happened'
complete -c disktuner -n '_shtab_disktuner_using compare' -l cold -x -d 'take the files at or below these paths out of memory before each run'
complete -c disktuner -n '_shtab_disktuner_using compare' -s S -l shell -x -d 'the shell that runs the commands, or none (sh)'
complete -c disktuner -n '_shtab_disktuner_using compare' -s i -l ignore-failure -d 'count runs that end with an error, too'
complete -c disktuner -n '_shtab_disktuner_using compare' -l timeout -x -d 'end a run of the command after so many seconds (600)'
complete -c disktuner -n '_shtab_disktuner_using compare; and test $_shtab_disktuner_npos -eq 0' -ka "(_disktuner_targets)" -d 'a folder on the disk, or a disk such as sda'
complete -c disktuner -n '_shtab_disktuner_using; and test $_shtab_disktuner_npos -eq 0' -a tune -d 'find settings of schedulers that gain more for a goal than the best plain scheduler'
complete -c disktuner -n '_shtab_disktuner_using tune' -s h -l help -d 'show this help message and exit'
complete -c disktuner -n '_shtab_disktuner_using tune' -l after -xka "(_disktuner_results)" -d 'tune the winner of this result (a file, or the id of one that is kept); without it, schedulers are compared first'
complete -c disktuner -n '_shtab_disktuner_using tune' -l goal -xka "desktop copying database media server" -d 'what the disk is used for: desktop, copying, database, media or server (default: that of RESULT, else desktop)'
complete -c disktuner -n '_shtab_disktuner_using tune' -l budget -xka "quick standard thorough" -d 'how long it may take: quick (3 minutes at most), standard (10 minutes at most) or thorough (30 minutes at most) (default: standard)'
complete -c disktuner -n '_shtab_disktuner_using tune' -l workloads -xka "read-latency-under-writes launch-under-reads launch-office copy-contended copy dd-write dd-read raw-read unpack small-files many-clients stream-under-copy commit-log oltp scan pgbench sql-oltp sysbench-rndrw sysbench-rndwr sysbench-rndrd priorities" -d 'run only these (see disktuner workloads)'
complete -c disktuner -n '_shtab_disktuner_using tune' -l seed -x -d 'repeat the order and random choices of an earlier run'
complete -c disktuner -n '_shtab_disktuner_using tune' -l out -xka "(__fish_complete_path (commandline -ct))" -d 'write the result file there, too'
complete -c disktuner -n '_shtab_disktuner_using tune' -l image -xka "(__fish_complete_path (commandline -ct))" -d 'save a picture of the result (.png or .svg)'
complete -c disktuner -n '_shtab_disktuner_using tune' -l json -d 'print one JSON document and nothing else'
complete -c disktuner -n '_shtab_disktuner_using tune; and test $_shtab_disktuner_npos -eq 0' -ka "(_disktuner_targets)" -d 'a folder on the disk, or a disk such as sda'
complete -c disktuner -n '_shtab_disktuner_using; and test $_shtab_disktuner_npos -eq 0' -a verdict -d 'recompute the verdict from the samples of a result file'
complete -c disktuner -n '_shtab_disktuner_using verdict' -s h -l help -d 'show this help message and exit'
complete -c disktuner -n '_shtab_disktuner_using verdict' -l json -d 'print one JSON document and nothing else'
complete -c disktuner -n '_shtab_disktuner_using verdict' -l all -d 'show every figure with its interval'
complete -c disktuner -n '_shtab_disktuner_using verdict' -l goal -xka "desktop copying database media server" -d 'judge it for another goal, where what was measured allows it: desktop, copying, database, media or server'
complete -c disktuner -n '_shtab_disktuner_using verdict; and test $_shtab_disktuner_npos -eq 0' -ka "(__fish_complete_path (commandline -ct))" -d 'a result file (.json), a picture saved by Disktuner, or how an id of the history begins'
complete -c disktuner -n '_shtab_disktuner_using; and test $_shtab_disktuner_npos -eq 0' -a export -d 'write a result as a picture, report or table'
complete -c disktuner -n '_shtab_disktuner_using export' -s h -l help -d 'show this help message and exit'
complete -c disktuner -n '_shtab_disktuner_using export' -l to -xka "(__fish_complete_path (commandline -ct))" -d 'the file to write, in the format of its suffix: .png, .svg, .html, .md, .csv or .json'
complete -c disktuner -n '_shtab_disktuner_using export' -l as -xka "udev tuned ansible" -d 'write what rolls the winner out to all machines with such a disk into the folder OUT: udev, tuned or ansible'
complete -c disktuner -n '_shtab_disktuner_using export' -l theme -xka "light dark" -d 'colours of a picture (default: light)'
complete -c disktuner -n '_shtab_disktuner_using export' -l personal -d 'keep serial numbers, paths and notes'
complete -c disktuner -n '_shtab_disktuner_using export; and test $_shtab_disktuner_npos -eq 0' -ka "(__fish_complete_path (commandline -ct))" -d 'a result file (.json), a picture saved by Disktuner, or how an id of the history begins'
complete -c disktuner -n '_shtab_disktuner_using; and test $_shtab_disktuner_npos -eq 0' -a summary -d 'draw one verdict per disk model from the result files of many machines'
complete -c disktuner -n '_shtab_disktuner_using summary' -s h -l help -d 'show this help message and exit'
complete -c disktuner -n '_shtab_disktuner_using summary' -l goal -xka "desktop copying database media server" -d 'count only what was measured for this goal: desktop, copying, database, media or server (default: all, each separately)'
complete -c disktuner -n '_shtab_disktuner_using summary' -l json -d 'print one JSON document and nothing else'
complete -c disktuner -n '_shtab_disktuner_using summary' -l html -xka "(__fish_complete_path (commandline -ct))" -d 'write a page that can be published anywhere: one file, without scripts or file names'
complete -c disktuner -n '_shtab_disktuner_using summary' -l personal -d 'name the files on the page; they may name machines'
complete -c disktuner -n '_shtab_disktuner_using summary' -l hwdb -xka "(__fish_complete_path (commandline -ct))" -d 'write the clear verdicts as defaults for udev (a hardware database and a rule) into this folder'
complete -c disktuner -n '_shtab_disktuner_using summary; and test $_shtab_disktuner_npos -eq 0' -ka "(__fish_complete_directories)" -d 'the folder with the result files; subfolders are read, too'
complete -c disktuner -n '_shtab_disktuner_using; and test $_shtab_disktuner_npos -eq 0' -a history -d 'list, compare, annotate and remove the results that were kept'
complete -c disktuner -n '_shtab_disktuner_using history' -s h -l help -d 'show this help message and exit'
complete -c disktuner -n '_shtab_disktuner_using history' -l json -d 'print one JSON document and nothing else'
complete -c disktuner -n '_shtab_disktuner_using history' -l compare -xka "(_disktuner_results)" -d 'show what changed from the first result to the second'
complete -c disktuner -n '_shtab_disktuner_using history' -l add -xka "(__fish_complete_path (commandline -ct))" -d 'add a result file, or a picture saved by Disktuner'
complete -c disktuner -n '_shtab_disktuner_using history' -l note -xka "(_disktuner_results)" -d 'write a note on a result'
complete -c disktuner -n '_shtab_disktuner_using history' -l remove -xka "(_disktuner_results)" -d 'remove a result permanently'
complete -c disktuner -n '_shtab_disktuner_using history' -l tidy -d 'remove the files that interrupted measurements left on disks'
complete -c disktuner -n '_shtab_disktuner_using; and test $_shtab_disktuner_npos -eq 0' -a set -d 'set the scheduler of a disk, until the next restart or permanently'
complete -c disktuner -n '_shtab_disktuner_using set' -s h -l help -d 'show this help message and exit'
complete -c disktuner -n '_shtab_disktuner_using set' -l tunable -x -d 'also set a tunable, such as queue/nr_requests=128 or iosched/low_latency=0; may be repeated'
complete -c disktuner -n '_shtab_disktuner_using set' -l persist -d 'keep it after every restart'
complete -c disktuner -n '_shtab_disktuner_using set; and test $_shtab_disktuner_npos -eq 0' -ka "(_disktuner_disks)" -d 'the name of the disk, such as sda or /dev/sda'
complete -c disktuner -n '_shtab_disktuner_using set; and test $_shtab_disktuner_npos -eq 1' -ka "(_disktuner_schedulers)" -d 'one of those that disktuner list shows for the disk; with tunables: bfq:slice_idle=0'
complete -c disktuner -n '_shtab_disktuner_using; and test $_shtab_disktuner_npos -eq 0' -a revert -d 'restore what a disk had before Disktuner changed it'
complete -c disktuner -n '_shtab_disktuner_using revert' -s h -l help -d 'show this help message and exit'
complete -c disktuner -n '_shtab_disktuner_using revert' -l all -d 'all disks that Disktuner changed'
complete -c disktuner -n '_shtab_disktuner_using revert; and test $_shtab_disktuner_npos -eq 0' -ka "(_disktuner_disks)" -d 'the name of the disk, such as sda or /dev/sda'
complete -c disktuner -n '_shtab_disktuner_using; and test $_shtab_disktuner_npos -eq 0' -a forget -d 'remove the persistent choice for a disk'
complete -c disktuner -n '_shtab_disktuner_using forget' -s h -l help -d 'show this help message and exit'
complete -c disktuner -n '_shtab_disktuner_using forget' -l all -d 'all persistent choices'
complete -c disktuner -n '_shtab_disktuner_using forget; and test $_shtab_disktuner_npos -eq 0' -ka "(_disktuner_disks)" -d 'the name of the disk, such as sda or /dev/sda'
complete -c disktuner -n '_shtab_disktuner_using; and test $_shtab_disktuner_npos -eq 0' -a status -d 'show for each disk what was chosen, what it has, and who else sets it'
complete -c disktuner -n '_shtab_disktuner_using status' -s h -l help -d 'show this help message and exit'
complete -c disktuner -n '_shtab_disktuner_using status' -l json -d 'print one JSON document and nothing else'
complete -c disktuner -n '_shtab_disktuner_using status' -l sysroot -xka "(__fish_complete_directories)" -d 'read DIR/sys, DIR/proc and DIR/run/udev instead of this machine'"'"'s'
complete -c disktuner -n '_shtab_disktuner_using; and test $_shtab_disktuner_npos -eq 0' -a check -d 'look for what slows the disks, and who set it'
complete -c disktuner -n '_shtab_disktuner_using check' -s h -l help -d 'show this help message and exit'
complete -c disktuner -n '_shtab_disktuner_using check' -l json -d 'print one JSON document and nothing else'
complete -c disktuner -n '_shtab_disktuner_using check' -l sysroot -xka "(__fish_complete_directories)" -d 'read DIR/sys, DIR/proc and DIR/run/udev instead of this machine'"'"'s'
complete -c disktuner -n '_shtab_disktuner_using check; and test $_shtab_disktuner_npos -eq 0' -ka "(_disktuner_disks)" -d 'only this disk (default: all)'
complete -c disktuner -n '_shtab_disktuner_using; and test $_shtab_disktuner_npos -eq 0' -a monitor -d 'show what disks are doing'
complete -c disktuner -n '_shtab_disktuner_using monitor' -s h -l help -d 'show this help message and exit'
complete -c disktuner -n '_shtab_disktuner_using monitor' -l interval -x -d 'seconds between two readings (default: 1)'
complete -c disktuner -n '_shtab_disktuner_using monitor' -l count -x -d 'stop after N intervals (default: on Ctrl+C)'
complete -c disktuner -n '_shtab_disktuner_using monitor' -l json -d 'print one JSON document per interval'
complete -c disktuner -n '_shtab_disktuner_using monitor' -l all -d 'show all figures of iostat -x'
complete -c disktuner -n '_shtab_disktuner_using monitor; and test $_shtab_disktuner_npos -ge 0' -ka "(_disktuner_disks)" -d 'only these (default: all)'
