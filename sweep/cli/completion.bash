# bash completion for headcount. `make install` puts it where bash looks for completions; to try it:
#   source sweep/cli/completion.bash
# What it offers comes from `headcount complete`: commands, options, keys, tasks, sweeps and trials of
# the results file that the line names.

# Offers those of the given words that begin with the one being typed. (compgen -W would expand them
# as the shell expands a command, and some come from files.)
_headcount_offer()
{
    local candidate
    for candidate; do
        [[ $candidate == "$word"* && $candidate != *[!A-Za-z0-9._=-]* ]] && COMPREPLY+=("$candidate")
    done
}

_headcount_ask()
{
    local lines
    mapfile -t lines < <("$program" complete "$@" 2>/dev/null)
    _headcount_offer "${lines[@]/#/$before}"
}

# Offers files of these endings and folders; any file where there is none such.
_headcount_files()
{
    local name ending all
    mapfile -t all < <(compgen -f -- "${word#"$before"}")
    for name in "${all[@]}"; do
        [[ -d $name ]] && COMPREPLY+=("$before$name")
        for ending; do
            [[ $name == *"$ending" && ! -d $name ]] && COMPREPLY+=("$before$name")
        done
    done
    ((${#COMPREPLY[@]})) || COMPREPLY=("${all[@]/#/$before}")
    compopt -o filenames 2>/dev/null
}

# What may follow an option; `before` is what the word has in front of the value.
_headcount_value()
{
    local assignment=${word#"$before"}
    case $1 in
    --db | --into | --from | --from-shards) _headcount_files .db ;;
    --set)
        if [[ $assignment == *=* ]]; then
            before+=${assignment%%=*}=
            case ${assignment%%=*} in
            task.file | file) _headcount_files '' ;;
            *) _headcount_ask values "${assignment%%=*}" ;;
            esac
        else
            _headcount_ask keys
            COMPREPLY=("${COMPREPLY[@]/%/=}")
            compopt -o nospace 2>/dev/null
        fi
        ;;
    --as) _headcount_files .yaml .yml ;;
    --setup) _headcount_files .sh ;;
    --mode) _headcount_ask values task.mode ;;
    --port | --minutes | --text-column | --label-column) ;;
    --html) _headcount_files .html ;;
    --token-file) _headcount_files '' ;;
    --listen) _headcount_offer "${before}localhost" "${before}0.0.0.0" ;;
    --svg) _headcount_files .svg ;;
    --attention) _headcount_ask trials "$db" "$assignment" ;;
    --preset) _headcount_offer "${before}roberta" ;;
    --task) _headcount_ask tasks ;;
    --by) _headcount_offer "${before}importance" "${before}ablation" "${before}random" ;;
    --on) [[ $before ]] && _headcount_offer "${before}val" "${before}test" || _headcount_offer val test ;;
    *)
        local key=${1#--}
        _headcount_ask values "model.${key//-/_}"
        ;;
    esac
}

# What may stand at a place that no option takes, after `arguments` others.
_headcount_argument()
{
    case $command:${#arguments[@]}:${arguments[0]} in
    ask:0:) _headcount_files '' ;;
    run:0: | plan:0: | submit:0:) _headcount_files .yaml .yml ;;
    report:* | ensemble:0: | export:1:results | export:1:trials | export:1:curves) _headcount_ask sweeps "$db" ;;
    show:0: | export:1:weights | export:1:testset | export:1:attention) _headcount_ask trials "$db" "$word" ;;
    heads:0: | prune:0:)
        _headcount_ask sweeps "$db"
        _headcount_ask trials "$db" "$word"
        ;;
    export:0:) _headcount_offer results trials curves weights testset attention ;;
    merge:*) _headcount_files .db ;;
    sweep:0:) _headcount_offer rename delete note ;;
    sweep:1:rename | sweep:1:delete | sweep:1:note) _headcount_ask sweeps "$db" ;;
    export:2:trials | export:2:curves) _headcount_files .csv ;;
    export:2:weights | export:2:testset | export:2:attention) _headcount_files .safetensors ;;
    tasks:0:)
        _headcount_ask tasks
        _headcount_offer model train
        ;;
    help:0:)
        _headcount_ask commands
        _headcount_offer terms
        ;;
    esac
}

_headcount()
{
    local words=() word program command db=results/headcount.db before= i
    local arguments=() options option= only_arguments=
    COMPREPLY=()
    for ((i = 0; i <= COMP_CWORD; i++)); do # bash takes = for a word of its own
        if ((i > 1)) && [[ ${COMP_WORDS[i]} == "=" || ${COMP_WORDS[i - 1]} == "=" ]]; then
            words[-1]+=${COMP_WORDS[i]}
        else
            words+=("${COMP_WORDS[i]}")
        fi
    done
    program=${words[0]/#\~/$HOME} command=${words[1]} word=${words[-1]}
    if ((${#words[@]} == 2)); then
        _headcount_ask commands
        _headcount_offer help --help --version
        return
    fi
    mapfile -t options < <("$program" complete options "$command" 2>/dev/null)
    for ((i = 2; i < ${#words[@]} - 1; i++)); do
        if [[ $option ]]; then
            [[ $option == --db ]] && db=${words[i]}
            option=
        elif [[ $only_arguments || ${words[i]} != -* ]]; then
            arguments+=("${words[i]}")
        elif [[ ${words[i]} == -- ]]; then
            only_arguments=1
        elif [[ ${words[i]} == --db=* ]]; then
            db=${words[i]#--db=}
        elif [[ ${words[i]} == -j || " ${options[*]} " == *" ${words[i]}= "* ]]; then
            option=${words[i]}
        fi
    done
    db=${db/#\~/$HOME}
    if [[ $option ]]; then
        _headcount_value "$option"
    elif [[ ! $only_arguments && $word == --*=* ]]; then
        before=${word%%=*}=
        _headcount_value "${word%%=*}"
    elif [[ ! $only_arguments && $word == -* ]]; then
        _headcount_offer "${options[@]}"
        [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
    else
        _headcount_argument
    fi
    # Only what stands behind the last = is replaced.
    local typed=${COMP_WORDS[COMP_CWORD]}
    [[ $typed == "=" ]] && typed=
    local kept=$((${#word} - ${#typed}))
    COMPREPLY=("${COMPREPLY[@]:0}")
    for i in "${!COMPREPLY[@]}"; do
        COMPREPLY[i]=${COMPREPLY[i]:kept}
    done
}

complete -F _headcount headcount
