# SPDX-License-Identifier: GPL-3.0-or-later
# ./dev docs makes this file, with shtab (https://docs.iterative.ai/shtab/).

_shtab_disktuner_subparsers=(list workloads bench compare tune portrait verdict export history set revert forget try-in-daily-use status check monitor watch)

_shtab_disktuner_list_option_strings=(-h --help --json --all --goal --sysroot)
_shtab_disktuner_workloads_option_strings=(-h --help --json)
_shtab_disktuner_bench_option_strings=(-h --help --workload --rounds --seconds --felt --seed --out --json --command --program --beside --prepare --cleanup --cold -S --shell -i --ignore-failure --timeout)
_shtab_disktuner_compare_option_strings=(-h --help --continue --goal --budget --schedulers --settings --workloads --felt --state --yes --seed --out --image --json --command --program --beside --prepare --cleanup --cold -S --shell -i --ignore-failure --timeout)
_shtab_disktuner_tune_option_strings=(-h --help --after --goal --budget --workloads --seed --out --image --json --command --program --beside --prepare --cleanup --cold -S --shell -i --ignore-failure --timeout)
_shtab_disktuner_portrait_option_strings=(-h --help --last --yes --image --json)
_shtab_disktuner_verdict_option_strings=(-h --help --json --all --goal)
_shtab_disktuner_export_option_strings=(-h --help --to --as --theme --personal)
_shtab_disktuner_history_option_strings=(-h --help --json --all --compare --add --note --remove --tidy)
_shtab_disktuner_set_option_strings=(-h --help --tunable --persist --insist)
_shtab_disktuner_revert_option_strings=(-h --help --all)
_shtab_disktuner_forget_option_strings=(-h --help --all)
_shtab_disktuner_try_in_daily_use_option_strings=(-h --help --status --pause --continue --stop --run --settings --days --json)
_shtab_disktuner_status_option_strings=(-h --help --json --all --sysroot)
_shtab_disktuner_check_option_strings=(-h --help --json --sysroot)
_shtab_disktuner_monitor_option_strings=(-h --help --interval --count --json --all)
_shtab_disktuner_watch_option_strings=(-h --help --now --record --image --second --json)
_shtab_disktuner_option_strings=(-h --help --debug --version)

_shtab_disktuner_list___sysroot_COMPGEN=_shtab_compgen_dirs
_shtab_disktuner_bench_pos_0_COMPGEN=_disktuner_disks_or_dirs
_shtab_disktuner_bench___felt_COMPGEN=_shtab_compgen_dirs
_shtab_disktuner_bench___out_COMPGEN=_shtab_compgen_files
_shtab_disktuner_compare_pos_0_COMPGEN=_disktuner_disks_or_dirs
_shtab_disktuner_compare___continue_COMPGEN=_disktuner_results_or_files
_shtab_disktuner_compare___settings_COMPGEN=_disktuner_schedulers
_shtab_disktuner_compare___felt_COMPGEN=_shtab_compgen_dirs
_shtab_disktuner_compare___out_COMPGEN=_shtab_compgen_files
_shtab_disktuner_compare___image_COMPGEN=_shtab_compgen_files
_shtab_disktuner_tune_pos_0_COMPGEN=_disktuner_disks_or_dirs
_shtab_disktuner_tune___after_COMPGEN=_disktuner_results_or_files
_shtab_disktuner_tune___out_COMPGEN=_shtab_compgen_files
_shtab_disktuner_tune___image_COMPGEN=_shtab_compgen_files
_shtab_disktuner_portrait_pos_0_COMPGEN=_disktuner_disks_or_dirs
_shtab_disktuner_portrait___image_COMPGEN=_shtab_compgen_files
_shtab_disktuner_verdict_pos_0_COMPGEN=_disktuner_results_or_files
_shtab_disktuner_export_pos_0_COMPGEN=_disktuner_results_or_files
_shtab_disktuner_export___to_COMPGEN=_shtab_compgen_files
_shtab_disktuner_history___compare_COMPGEN=_disktuner_results_or_files
_shtab_disktuner_history___add_COMPGEN=_shtab_compgen_files
_shtab_disktuner_history___note_COMPGEN=_disktuner_results_or_files
_shtab_disktuner_history___remove_COMPGEN=_disktuner_results_or_files
_shtab_disktuner_set_pos_0_COMPGEN=_disktuner_disks
_shtab_disktuner_set_pos_1_COMPGEN=_disktuner_schedulers
_shtab_disktuner_revert_pos_0_COMPGEN=_disktuner_disks
_shtab_disktuner_forget_pos_0_COMPGEN=_disktuner_disks
_shtab_disktuner_try_in_daily_use_pos_0_COMPGEN=_disktuner_disks
_shtab_disktuner_status___sysroot_COMPGEN=_shtab_compgen_dirs
_shtab_disktuner_check_pos_0_COMPGEN=_disktuner_disks
_shtab_disktuner_check___sysroot_COMPGEN=_shtab_compgen_dirs
_shtab_disktuner_monitor_pos_0_COMPGEN=_disktuner_disks
_shtab_disktuner_watch___image_COMPGEN=_shtab_compgen_files
_shtab_disktuner_watch___second_COMPGEN=_shtab_compgen_dirs

_shtab_disktuner_list___goal_choices=(desktop copying removable database media server)
_shtab_disktuner_bench___workload_choices=(read-latency-under-writes launch-under-reads launch-office use-elsewhere copy-contended copy copy-then-unplug dd-write dd-read raw-read unpack small-files many-clients stream-under-copy commit-log oltp scan pgbench sql-oltp sysbench-rndrw sysbench-rndwr sysbench-rndrd priorities)
_shtab_disktuner_bench___beside_choices=(writes reads both nothing)
_shtab_disktuner_compare___goal_choices=(desktop copying removable database media server)
_shtab_disktuner_compare___budget_choices=(quick standard thorough)
_shtab_disktuner_compare___workloads_choices=(read-latency-under-writes launch-under-reads launch-office use-elsewhere copy-contended copy copy-then-unplug dd-write dd-read raw-read unpack small-files many-clients stream-under-copy commit-log oltp scan pgbench sql-oltp sysbench-rndrw sysbench-rndwr sysbench-rndrd priorities)
_shtab_disktuner_compare___state_choices=(rested exhausted)
_shtab_disktuner_compare___beside_choices=(writes reads both nothing)
_shtab_disktuner_tune___goal_choices=(desktop copying removable database media server)
_shtab_disktuner_tune___budget_choices=(quick standard thorough)
_shtab_disktuner_tune___workloads_choices=(read-latency-under-writes launch-under-reads launch-office use-elsewhere copy-contended copy copy-then-unplug dd-write dd-read raw-read unpack small-files many-clients stream-under-copy commit-log oltp scan pgbench sql-oltp sysbench-rndrw sysbench-rndwr sysbench-rndrd priorities)
_shtab_disktuner_tune___beside_choices=(writes reads both nothing)
_shtab_disktuner_verdict___goal_choices=(desktop copying removable database media server)
_shtab_disktuner_export___as_choices=(udev)
_shtab_disktuner_export___theme_choices=(light dark)
_shtab_disktuner_try_in_daily_use___days_choices=(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31)
_shtab_disktuner_pos_0_choices=(list workloads bench compare tune portrait verdict export history set revert forget try-in-daily-use status check monitor watch)

_shtab_disktuner_list__h_nargs=0
_shtab_disktuner_list___help_nargs=0
_shtab_disktuner_list___json_nargs=0
_shtab_disktuner_list___all_nargs=0
_shtab_disktuner_workloads__h_nargs=0
_shtab_disktuner_workloads___help_nargs=0
_shtab_disktuner_workloads___json_nargs=0
_shtab_disktuner_bench__h_nargs=0
_shtab_disktuner_bench___help_nargs=0
_shtab_disktuner_bench___json_nargs=0
_shtab_disktuner_bench___cold_nargs=+
_shtab_disktuner_bench__i_nargs=0
_shtab_disktuner_bench___ignore_failure_nargs=0
_shtab_disktuner_compare__h_nargs=0
_shtab_disktuner_compare___help_nargs=0
_shtab_disktuner_compare___settings_nargs=+
_shtab_disktuner_compare___yes_nargs=0
_shtab_disktuner_compare___json_nargs=0
_shtab_disktuner_compare___cold_nargs=+
_shtab_disktuner_compare__i_nargs=0
_shtab_disktuner_compare___ignore_failure_nargs=0
_shtab_disktuner_tune__h_nargs=0
_shtab_disktuner_tune___help_nargs=0
_shtab_disktuner_tune___json_nargs=0
_shtab_disktuner_tune___cold_nargs=+
_shtab_disktuner_tune__i_nargs=0
_shtab_disktuner_tune___ignore_failure_nargs=0
_shtab_disktuner_portrait__h_nargs=0
_shtab_disktuner_portrait___help_nargs=0
_shtab_disktuner_portrait___last_nargs=0
_shtab_disktuner_portrait___yes_nargs=0
_shtab_disktuner_portrait___json_nargs=0
_shtab_disktuner_verdict__h_nargs=0
_shtab_disktuner_verdict___help_nargs=0
_shtab_disktuner_verdict___json_nargs=0
_shtab_disktuner_verdict___all_nargs=0
_shtab_disktuner_export__h_nargs=0
_shtab_disktuner_export___help_nargs=0
_shtab_disktuner_export___personal_nargs=0
_shtab_disktuner_history_pos_0_nargs='*'
_shtab_disktuner_history__h_nargs=0
_shtab_disktuner_history___help_nargs=0
_shtab_disktuner_history___json_nargs=0
_shtab_disktuner_history___all_nargs=0
_shtab_disktuner_history___compare_nargs=2
_shtab_disktuner_history___note_nargs=2
_shtab_disktuner_history___tidy_nargs=0
_shtab_disktuner_set__h_nargs=0
_shtab_disktuner_set___help_nargs=0
_shtab_disktuner_set___persist_nargs=0
_shtab_disktuner_set___insist_nargs=0
_shtab_disktuner_revert__h_nargs=0
_shtab_disktuner_revert___help_nargs=0
_shtab_disktuner_revert___all_nargs=0
_shtab_disktuner_forget__h_nargs=0
_shtab_disktuner_forget___help_nargs=0
_shtab_disktuner_forget___all_nargs=0
_shtab_disktuner_try_in_daily_use__h_nargs=0
_shtab_disktuner_try_in_daily_use___help_nargs=0
_shtab_disktuner_try_in_daily_use___status_nargs=0
_shtab_disktuner_try_in_daily_use___pause_nargs=0
_shtab_disktuner_try_in_daily_use___continue_nargs=0
_shtab_disktuner_try_in_daily_use___stop_nargs=0
_shtab_disktuner_try_in_daily_use___run_nargs=0
_shtab_disktuner_try_in_daily_use___settings_nargs=2
_shtab_disktuner_try_in_daily_use___json_nargs=0
_shtab_disktuner_status__h_nargs=0
_shtab_disktuner_status___help_nargs=0
_shtab_disktuner_status___json_nargs=0
_shtab_disktuner_status___all_nargs=0
_shtab_disktuner_check__h_nargs=0
_shtab_disktuner_check___help_nargs=0
_shtab_disktuner_check___json_nargs=0
_shtab_disktuner_monitor_pos_0_nargs='*'
_shtab_disktuner_monitor__h_nargs=0
_shtab_disktuner_monitor___help_nargs=0
_shtab_disktuner_monitor___json_nargs=0
_shtab_disktuner_monitor___all_nargs=0
_shtab_disktuner_watch__h_nargs=0
_shtab_disktuner_watch___help_nargs=0
_shtab_disktuner_watch___now_nargs=0
_shtab_disktuner_watch___record_nargs=0
_shtab_disktuner_watch___json_nargs=0
_shtab_disktuner_pos_0_nargs=A...
_shtab_disktuner__h_nargs=0
_shtab_disktuner___help_nargs=0
_shtab_disktuner___debug_nargs=0
_shtab_disktuner___version_nargs=0


# Custom Preamble
_disktuner_disks() {
  compgen -W "$(command ls /sys/block)" -- "$1"
}
_disktuner_schedulers() {
  compgen -W "$(command grep -oh '[a-z][a-z0-9-]*' /sys/block/*/queue/scheduler | command sort -u)" -- "$1"
}
_disktuner_results_or_files() {
  compgen -W "$(disktuner history 2>/dev/null | command sed -nE 's/^([0-9A-Za-z][^ ]*)  .*/\1/p')" -- "$1"
  compgen -f -- "$1"
}
_disktuner_disks_or_dirs() {
  compgen -W "$(command ls /sys/block)" -- "$1"
  compgen -d -- "$1"
}
# End Custom Preamble

# $1=COMP_WORDS[1]
_shtab_compgen_files() {
  compgen -f -- $1  # files
}

# $1=COMP_WORDS[1]
_shtab_compgen_dirs() {
  compgen -d -- $1  # recurse into subdirs
}

# $1=COMP_WORDS[1]
_shtab_replace_nonword() {
  echo "${1//[^[:word:]]/_}"
}

# set default values (called for the initial parser & any subparsers)
_set_parser_defaults() {
  local subparsers_var="${prefix}_subparsers[@]"
  sub_parsers=${!subparsers_var-}

  local current_option_strings_var="${prefix}_option_strings[@]"
  current_option_strings=${!current_option_strings_var}

  completed_positional_actions=0

  _set_new_action "pos_$completed_positional_actions" true
}

# $1=action identifier
# $2=positional action (bool)
# set all identifiers for an action's parameters
_set_new_action() {
  current_action="${prefix}_$(_shtab_replace_nonword $1)"

  local current_action_compgen_var=${current_action}_COMPGEN
  current_action_compgen="${!current_action_compgen_var-}"

  local current_action_choices_var="${current_action}_choices[@]"
  current_action_choices="${!current_action_choices_var-}"

  local current_action_nargs_var="${current_action}_nargs"
  if [ -n "${!current_action_nargs_var-}" ]; then
    current_action_nargs="${!current_action_nargs_var}"
  else
    current_action_nargs=1
  fi

  current_action_args_start_index=$(( $word_index + 1 - $pos_only ))

  current_action_is_positional=$2
}

# Notes:
# `COMPREPLY`: what will be rendered after completion is triggered
# `completing_word`: currently typed word to generate completions for
# `${!var}`: evaluates the content of `var` and expand its content as a variable
#     hello="world"
#     x="hello"
#     ${!x} -> ${hello} -> "world"
_shtab_disktuner() {
  local completing_word="${COMP_WORDS[COMP_CWORD]}"
  local previous_word="${COMP_WORDS[COMP_CWORD-1]}"
  local completed_positional_actions
  local current_action
  local current_action_args_start_index
  local current_action_choices
  local current_action_compgen
  local current_action_is_positional
  local current_action_nargs
  local current_option_strings
  local sub_parsers
  COMPREPLY=()

  local prefix=_shtab_disktuner
  local word_index=0
  local pos_only=0 # "--" delimiter not encountered yet
  _set_parser_defaults
  word_index=1

  # determine what arguments are appropriate for the current state
  # of the arg parser
  while [ $word_index -ne $COMP_CWORD ]; do
    local this_word="${COMP_WORDS[$word_index]}"

    if [[ $pos_only = 1 || " $this_word " != " -- " ]]; then
      if [[ -n $sub_parsers && " ${sub_parsers[@]} " == *" $this_word "* ]]; then
        # valid subcommand: add it to the prefix & reset the current action
        prefix="${prefix}_$(_shtab_replace_nonword $this_word)"
        _set_parser_defaults
      fi

      if [[ " ${current_option_strings[@]} " == *" $this_word "* ]]; then
        # a new action should be acquired (due to recognised option string or
        # no more input expected from current action);
        # the next positional action can fill in here
        _set_new_action $this_word false
      fi

      if [[ "$current_action_nargs" != "*" ]] && \
         [[ "$current_action_nargs" != "+" ]] && \
         [[ "$current_action_nargs" != "?" ]] && \
         [[ "$current_action_nargs" != *"..." ]] && \
         (( $word_index + 1 - $current_action_args_start_index - $pos_only >= \
            $current_action_nargs )); then
        $current_action_is_positional && let "completed_positional_actions += 1"
        _set_new_action "pos_$completed_positional_actions" true
      fi
    else
      pos_only=1 # "--" delimiter encountered
    fi

    let "word_index+=1"
  done

  # Generate the completions

  COMPREPLY=()
  if [[ $pos_only = 0 && "$completing_word" == -* &&
        ( -z "$current_action_compgen" || "$current_action_is_positional" = true ) ]]; then
    # optional argument started: use option strings
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(
      compgen -W "${current_option_strings[*]}" -- "$completing_word")
  elif [[ "$previous_word" =~ ^[0-9\&]*[\<\>]\>?$ ]]; then
    # handle redirection operators
    compopt -o filenames 2>/dev/null || : # bash>=4
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$completing_word")
  else
    # use choices & compgen
    local action_compgen_word="$completing_word"
    # handle tab-completing in the middle of a line (#248 <- #116)
    [[ -n "$current_action_compgen" && "$completing_word" == -* ]] && action_compgen_word=""
    [ -n "$current_action_compgen" ] && {
      [[ "$current_action_compgen" =~ _(file|dir|glob|FILE|DIR|GLOB)|File|Dir|Glob ]] &&
        compopt -o filenames 2>/dev/null || : # bash>=4
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(
        "$current_action_compgen" "$action_compgen_word")
    }
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(
      compgen -W "${current_action_choices[*]}" -- "$completing_word")
  fi

  if [[ ${#COMPREPLY[@]} = 0 ]]; then
    # native fallback matches are not necessarily filenames (e.g. variables)
    compopt +o filenames 2>/dev/null || : # bash>=4
  fi

  return 0
}

complete -o bashdefault -F _shtab_disktuner disktuner
