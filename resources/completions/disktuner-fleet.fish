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
# - _shtab_disktuner_fleet_cmdpath=(sub)command path seen so far
# - _shtab_disktuner_fleet_npos=number of positional arguments given after it
# - options are skipped based on _shtab_disktuner_fleet_opts_with_value & _shtab_disktuner_fleet_commands lists
function _shtab_disktuner_fleet_scan
  set -g _shtab_disktuner_fleet_cmdpath ''
  set -g _shtab_disktuner_fleet_npos 0
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
        if contains -- $t $_shtab_disktuner_fleet_opts_with_value
          set expect_value 1
        end
        continue
      case '*'
        if test $_shtab_disktuner_fleet_npos -eq 0
          set -l candidate $t
          if test -n "$_shtab_disktuner_fleet_cmdpath"
            set candidate "$_shtab_disktuner_fleet_cmdpath $t"
          end
          if contains -- $candidate $_shtab_disktuner_fleet_commands
            set -g _shtab_disktuner_fleet_cmdpath $candidate
            continue
          end
        end
        set -g _shtab_disktuner_fleet_npos (math $_shtab_disktuner_fleet_npos + 1)
    end
  end
end

# Condition helper: true if the current (sub)command path equals the given one.
function _shtab_disktuner_fleet_using
  _shtab_disktuner_fleet_scan
  test "$_shtab_disktuner_fleet_cmdpath" = "$argv"
end

set -g _shtab_disktuner_fleet_commands summary export
set -g _shtab_disktuner_fleet_opts_with_value --as --goal --html --hwdb --to

complete -c disktuner-fleet -e
complete -c disktuner-fleet -f

complete -c disktuner-fleet -n _shtab_disktuner_fleet_using -s h -l help -d 'show this help message and exit'
complete -c disktuner-fleet -n _shtab_disktuner_fleet_using -l debug -d 'print the log to standard error'
complete -c disktuner-fleet -n _shtab_disktuner_fleet_using -l version -d 'show the version and exit'
complete -c disktuner-fleet -n '_shtab_disktuner_fleet_using; and test $_shtab_disktuner_fleet_npos -eq 0' -a summary -d 'combine the results of many machines: one verdict per disk model'
complete -c disktuner-fleet -n '_shtab_disktuner_fleet_using summary' -s h -l help -d 'show this help message and exit'
complete -c disktuner-fleet -n '_shtab_disktuner_fleet_using summary' -l goal -xka "desktop copying removable database media server" -d 'use only results for this goal: desktop, copying, removable, database, media or server (default: all, each separately)'
complete -c disktuner-fleet -n '_shtab_disktuner_fleet_using summary' -l json -d 'print a single JSON document'
complete -c disktuner-fleet -n '_shtab_disktuner_fleet_using summary' -l html -xka "(__fish_complete_path (commandline -ct))" -d 'write a page for publication: one file, without scripts or file names'
complete -c disktuner-fleet -n '_shtab_disktuner_fleet_using summary' -l personal -d 'show file names on the page; they may identify machines'
complete -c disktuner-fleet -n '_shtab_disktuner_fleet_using summary' -l hwdb -xka "(__fish_complete_path (commandline -ct))" -d 'write the clear verdicts to this folder as defaults for udev (a hardware database and a rule)'
complete -c disktuner-fleet -n '_shtab_disktuner_fleet_using summary; and test $_shtab_disktuner_fleet_npos -eq 0' -ka "(__fish_complete_directories)" -d 'the folder with the result files, searched recursively'
complete -c disktuner-fleet -n '_shtab_disktuner_fleet_using; and test $_shtab_disktuner_fleet_npos -eq 0' -a export -d 'write the files that set a result'"'"'s winner on many machines'
complete -c disktuner-fleet -n '_shtab_disktuner_fleet_using export' -s h -l help -d 'show this help message and exit'
complete -c disktuner-fleet -n '_shtab_disktuner_fleet_using export' -l to -xka "(__fish_complete_directories)" -d 'the folder to write to'
complete -c disktuner-fleet -n '_shtab_disktuner_fleet_using export' -l as -xka "udev tuned ansible" -d 'the program that sets the winner on all machines with such a disk: udev, tuned or ansible'
complete -c disktuner-fleet -n '_shtab_disktuner_fleet_using export; and test $_shtab_disktuner_fleet_npos -eq 0' -ka "(_disktuner_results_or_files)" -d 'a result file (.json), a picture saved by Disktuner, or the beginning or end of an id'
