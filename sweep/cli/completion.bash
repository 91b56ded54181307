# bash completion for headcount. `make install` puts it where bash looks for completions; to try it:
#   source sweep/cli/completion.bash
# Options come from each command's own --help, so this file never goes stale.

_headcount_options()
{
    headcount "$1" --help 2>/dev/null | sed -n 's/^  \(-., \|    \)\(--[a-z-]*\).*/\2/p'
}

_headcount_commands()
{
    headcount --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

_headcount()
{
    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local command=${COMP_WORDS[1]}
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        mapfile -t COMPREPLY < <(compgen -W "$(_headcount_commands) help --help --version" -- "$word")
        return
    fi
    case $previous in
    --db | run | plan)
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return
        ;;
    --preset)
        mapfile -t COMPREPLY < <(compgen -W roberta -- "$word")
        return
        ;;
    esac
    case $command:$word in
    *:-*)
        mapfile -t COMPREPLY < <(compgen -W "$(_headcount_options "$command")" -- "$word")
        ;;
    tasks:*)
        local tasks
        tasks=$(headcount tasks 2>/dev/null | sed -n '2,/^$/s/^\([a-z_]*\) .*/\1/p')
        mapfile -t COMPREPLY < <(compgen -W "$tasks model train" -- "$word")
        ;;
    export:*)
        if ((COMP_CWORD == 2)); then
            mapfile -t COMPREPLY < <(compgen -W "results weights testset" -- "$word")
        else
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
        fi
        ;;
    help:*)
        mapfile -t COMPREPLY < <(compgen -W "$(_headcount_commands)" -- "$word")
        ;;
    *)
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        ;;
    esac
}

complete -o filenames -F _headcount headcount
