# Fish completion for sparsecfg. Commands, options and values are read from the help of the program.

function __sparsecfg_commands
    sparsecfg help 2>/dev/null | awk '/^(Commands|Aliases):/ { on = 1; next } /^$/ { on = 0 } on && /^  [^ ]/ { name = $1; $1 = ""; print name "\t" substr($0, 2) }'
end

function __sparsecfg_command
    for word in (commandline -opc)[2..]
        if contains -- $word (__sparsecfg_commands | cut -f1)
            set -l meaning (sparsecfg help 2>/dev/null | awk -v name=$word '/^Aliases:/ { on = 1; next } /^$/ { on = 0 } on && /^  [^ ]/ && $1 == name { print $2 }')
            test -n "$meaning"; and echo $meaning; or echo $word
            return
        end
    end
end

# Prints the values of an option, or with "" those of the argument, from the help of a command.
function __sparsecfg_values
    sparsecfg help $argv[1] (test -n "$argv[1]"; and echo --help-all) 2>/dev/null | awk -v option="$argv[2]" '
      /^[A-Z]/ { arguments = $1 == "Arguments:" }
      /^  [^ ]/ { values = 0; inside = option == "" && arguments
                  for (at = 1; at <= NF; at++) { name = $at; sub(/,$/, "", name); if (option != "" && name == option) inside = 1 } }
      inside && /^      / { if ($1 == "Values:") { values = 1; $1 = "" } if (values) { gsub(/,/, ""); print } }' | string split -n ' '
end

function __sparsecfg_codes
    sparsecfg explain codes | awk '{ print $1 "\t" $3; print $3 "\t" $1 }'
end

function __sparsecfg_complete
    set -l command (__sparsecfg_command)
    set -l previous (commandline -opc)[-1]
    set -l current (commandline -ct)
    set -l values
    if string match -q -- '--*=*' $current
        set previous (string split -m1 = -- $current)[1]
    end
    if string match -q -- '-*' $previous
        set values (__sparsecfg_values "$command" $previous)
    end
    if test (count $values) -gt 0
        if test "$previous" = (string split -m1 = -- "$current")[1]
            printf '%s\n' $previous=$values
        else
            printf '%s\n' $values
        end
    else if contains -- $previous --select --ignore --severity
        __sparsecfg_codes
    else if string match -q -- '-*' $current
        sparsecfg help $command (test -n "$command"; and echo --help-all) 2>/dev/null | sed -n 's/^  \(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p'
    else if test -z "$command"; or test "$command" = help
        __sparsecfg_commands
    else if test "$command" = explain
        printf '%s\n' codes modifiers presets
        __sparsecfg_codes
        sparsecfg explain modifiers | awk '/^  [^ ]/ { print $1 }'
    else
        set values (__sparsecfg_values $command "")
        if test (count $values) -gt 0
            printf '%s\n' $values
        else
            __fish_complete_path $current
        end
    end
end

complete -c sparsecfg -f -a '(__sparsecfg_complete)'
