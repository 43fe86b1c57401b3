# Completion of sparsecfg for fish. Commands, options and their values come from the program's own help.

function __sparsecfg_commands
    sparsecfg help 2>/dev/null | awk '/^Commands:/ { on = 1; next } /^$/ { on = 0 } on { name = $1; $1 = ""; print name "\t" substr($0, 2) }'
end

function __sparsecfg_command
    for word in (commandline -opc)[2..]
        if contains -- $word (__sparsecfg_commands | cut -f1)
            echo $word
            return
        end
    end
end

function __sparsecfg_complete
    set -l command (__sparsecfg_command)
    set -l previous (commandline -opc)[-1]
    if test -z "$command"
        __sparsecfg_commands
        return
    end
    set -l values (sparsecfg help $command 2>/dev/null | awk -v option="$previous" '
      /^  -/ { inside = 0; for (at = 1; at <= NF; at++) { name = $at; sub(/,$/, "", name); if (name == option) inside = 1 } values = 0 }
      inside && /^      / { if ($1 == "Values:") { values = 1; $1 = "" } if (values) { gsub(/,/, ""); print } }' | string split -n ' ')
    if test (count $values) -gt 0
        printf '%s\n' $values
    else if contains -- $previous --select --ignore --severity; or test $command = explain
        sparsecfg explain codes | cut -d' ' -f1
        printf '%s\n' codes modifiers
    else if test $command = schema
        printf '%s\n' create distiller ir llm-compressor nni report settings sparseml
    else if test $command = help
        __sparsecfg_commands
    end
    sparsecfg help $command 2>/dev/null | sed -n 's/^  \(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p'
end

complete -c sparsecfg -a '(__sparsecfg_complete)'
