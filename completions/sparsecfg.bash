# Bash completion for sparsecfg. Commands, options and values are read from the help of the program.

_sparsecfg_values() { # <command> [<option>]: prints the values of an option, or of the argument, from the help
  "$program" help $1 ${1:+--help-all} 2>/dev/null | awk -v option="${2-}" '
    /^[A-Z]/ { arguments = $1 == "Arguments:" }
    /^  [^ ]/ { values = 0; inside = option == "" && arguments
                for (at = 1; at <= NF; at++) { name = $at; sub(/,$/, "", name); if (option != "" && name == option) inside = 1 } }
    inside && /^      / { if ($1 == "Values:") { values = 1; $1 = "" } if (values) { gsub(/,/, ""); print } }'
}

_sparsecfg() {
  local program=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command="" word
  local commands aliases values=""
  COMPREPLY=()
  # Bash splits `--format=json` into three words.
  if [[ $current == = ]]; then
    current=""
  elif [[ $previous == = ]]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  commands=$("$program" help 2>/dev/null | awk '/^Commands:/ { on = 1; next } /^$/ { on = 0 } on && /^  [^ ]/ { print $1 }')
  aliases=$("$program" help 2>/dev/null | awk '/^Aliases:/ { on = 1; next } /^$/ { on = 0 } on && /^  [^ ]/ { print $1, $2 }')
  commands+=$'\n'$(cut -d ' ' -f 1 <<<"$aliases")
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case " ${commands//$'\n'/ } " in *" $word "*) command=$word && break ;; esac
  done
  word=$(awk -v name="$command" '$1 == name { print $2 }' <<<"$aliases")
  command=${word:-$command}
  if test -z "$command" && [[ $current != -* && $previous != --color ]]; then
    values=$commands
  elif [[ $previous == -* ]] && values=$(_sparsecfg_values "$command" "$previous") && test -n "$values"; then
    :
  elif [[ $previous == --select || $previous == --ignore || $previous == --severity ]]; then
    values=$("$program" explain codes | awk '{ print $1, $3 }')
  elif [[ $current == -* ]]; then
    values=$("$program" help ${command:+"$command" --help-all} 2>/dev/null | sed -n 's/^  \(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p')
  elif [[ $command == explain ]]; then
    values="codes modifiers presets $("$program" explain codes | awk '{ print $1, $3 }') $("$program" explain modifiers | awk '/^  [^ ]/ { print $1 }')"
  elif [[ $command == help ]]; then
    values=$commands
  else
    values=$(_sparsecfg_values "$command")
  fi
  if test -n "$values"; then
    mapfile -t COMPREPLY < <(compgen -W "$values" -- "$current")
  else
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}

complete -F _sparsecfg sparsecfg
