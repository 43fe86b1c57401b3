# Completion of sparsecfg for bash. Commands, options and their values come from the program's own help.

_sparsecfg_values() { # <command> <option>: the values that the help lists for an option
  "$program" help "$1" 2>/dev/null | awk -v option="$2" '
    /^  -/ { inside = 0; for (at = 1; at <= NF; at++) { name = $at; sub(/,$/, "", name); if (name == option) inside = 1 } values = 0 }
    inside && /^      / { if ($1 == "Values:") { values = 1; $1 = "" } if (values) { gsub(/,/, ""); print } }'
}

_sparsecfg() {
  local program=${COMP_WORDS[0]} current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command="" word
  local commands
  COMPREPLY=()
  commands=$("$program" help 2>/dev/null | awk '/^Commands:/ { on = 1; next } /^$/ { on = 0 } on { print $1 }')
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case " ${commands//$'\n'/ } " in *" $word "*) test -z "$command" && command=$word ;; esac
  done
  if test -z "$command" && [[ $current != -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$current")
  elif [[ $previous == -* ]] && word=$(_sparsecfg_values "$command" "$previous") && test -n "$word"; then
    mapfile -t COMPREPLY < <(compgen -W "$word" -- "$current")
  elif [[ $previous == --select || $previous == --ignore || $previous == --severity || $command == explain ]] && [[ $current != -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$("$program" explain codes | cut -d' ' -f1) codes modifiers" -- "$current")
  elif [[ $current == -* ]]; then
    word=$("$program" help ${command:+"$command"} 2>/dev/null | sed -n 's/^  \(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p')
    mapfile -t COMPREPLY < <(compgen -W "$word" -- "$current")
  elif [[ $command == help ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$current")
  elif [[ $command == schema ]]; then
    mapfile -t COMPREPLY < <(compgen -W "create distiller ir llm-compressor nni report settings sparseml" -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}

complete -o filenames -F _sparsecfg sparsecfg
