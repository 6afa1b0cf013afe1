# SPDX-License-Identifier: GPL-3.0-or-later
# ./dev docs makes this file, with shtab (https://docs.iterative.ai/shtab/).

_shtab_disktuner_fleet_subparsers=(summary export)

_shtab_disktuner_fleet_summary_option_strings=(-h --help --goal --json --html --personal --hwdb)
_shtab_disktuner_fleet_export_option_strings=(-h --help --to --as)
_shtab_disktuner_fleet_option_strings=(-h --help --debug --version)

_shtab_disktuner_fleet_summary_pos_0_COMPGEN=_shtab_compgen_dirs
_shtab_disktuner_fleet_summary___html_COMPGEN=_shtab_compgen_files
_shtab_disktuner_fleet_summary___hwdb_COMPGEN=_shtab_compgen_files
_shtab_disktuner_fleet_export_pos_0_COMPGEN=_disktuner_results_or_files
_shtab_disktuner_fleet_export___to_COMPGEN=_shtab_compgen_dirs

_shtab_disktuner_fleet_summary___goal_choices=(desktop copying removable database media server)
_shtab_disktuner_fleet_export___as_choices=(udev tuned ansible)
_shtab_disktuner_fleet_pos_0_choices=(summary export)

_shtab_disktuner_fleet_summary__h_nargs=0
_shtab_disktuner_fleet_summary___help_nargs=0
_shtab_disktuner_fleet_summary___json_nargs=0
_shtab_disktuner_fleet_summary___personal_nargs=0
_shtab_disktuner_fleet_export__h_nargs=0
_shtab_disktuner_fleet_export___help_nargs=0
_shtab_disktuner_fleet_pos_0_nargs=A...
_shtab_disktuner_fleet__h_nargs=0
_shtab_disktuner_fleet___help_nargs=0
_shtab_disktuner_fleet___debug_nargs=0
_shtab_disktuner_fleet___version_nargs=0


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
_shtab_disktuner_fleet() {
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

  local prefix=_shtab_disktuner_fleet
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

complete -o bashdefault -F _shtab_disktuner_fleet disktuner-fleet
