#!/bin/sh
# Completion in bash: what is offered for a line, word for word. Speaks TAP. HEADCOUNT is the program;
# run from the repository's root.
. tests/tap.sh
not_sanitized "completion"
settle
command -v bash >/dev/null || skip_all "completion" bash
# usage: offers LINE: prints what bash offers at the end of the line, one word a line. As readline
# does, it cuts words at spaces and at =.
cat >offers.bash <<'B'
source "$COMPLETION"
line=${1//=/ = }
read -ra COMP_WORDS <<<"$line"
[[ $1 == *" " ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_headcount
((${#COMPREPLY[@]} == 0)) || printf '%s\n' "${COMPREPLY[@]}" | sort
B
COMPLETION=$root/sweep/cli/completion.bash
export COMPLETION
offers() { bash offers.bash "$1" 2>&1; }
gives() { # line, words
    offers "$1" >out
    printf '%s\n' $2 | sed '/^$/d' | sort >wanted
    cmp out wanted || diff out wanted
}
has() { # line, words...: all among what is offered
    offers "$1" >out
    shift
    for word; do grep -qx -e "$word" out || { echo "no $word in:"; cat out; return 1; }; done
}
headcount run configs/quick.yaml --set train.steps=15 --set seeds=4 -q >/dev/null 2>&1
headcount run configs/quick.yaml --set train.steps=15 --set name=other -q --db elsewhere.db >/dev/null 2>&1
sqlite3 results/headcount.db "CREATE TEMP TABLE evil AS SELECT * FROM sweep;
    UPDATE evil SET sweep_id = 99, name = 'q\$(touch hacked)'; INSERT INTO sweep SELECT * FROM evil"

check "commands" gives "headcount st" "status"
check "all of them" \
    has "headcount " run ask submit plan status report serve show heads prune ensemble tasks params export sweep gc bench \
    check help --help --version
check "the program under another path" gives "./bin/headcount st" "status"
for c in $(headcount complete commands); do
    check "every option of $c" \
        has "headcount $c --" $(headcount "$c" --help | sed -n 's/^  \(-., \|    \)\(--[a-z-]*=\{0,1\}\).*/\2/p')
done
check "options after arguments" gives "headcount run configs/quick.yaml --re" "--replace --retry-failed"
check "files to ask about" has "headcount ask configs/q" configs/quick.yaml
check "... how to read them" gives "headcount ask a.csv --mode " "classify lm"
check "... behind an equals sign" gives "headcount ask a.csv --mode=c" "classify"
check "... or a toy" gives "headcount ask --task re" "recall reverse"
check "... for so many minutes" gives "headcount ask --task copy --minutes " ""
check "sweep files" has "headcount run configs/q" configs/quick.yaml
check "... to submit" has "headcount submit configs/q" configs/quick.yaml
check "files to merge" has "headcount merge --into elsewhere.db else" elsewhere.db
check "... into" has "headcount merge --into else" elsewhere.db
check "folders on the way" has "headcount plan con" configs
check "one argument only" gives "headcount run configs/quick.yaml " ""
check "keys for --set" has "headcount run configs/quick.yaml --set tr" train.steps= train.lr= train.schedule.warmup=
check "... of the top level" gives "headcount run x --set cl" "claim= claim.best= claim.better= claim.heads= claim.over= claim.than="
check "... behind an equals sign" gives "headcount run x --set=train.st" "train.steps="
check "... of a mapping" gives "headcount run x --set tune.r" "tune.rungs= tune.rungs.eta= tune.rungs.min_steps="
check "... new ones" has "headcount run x --set " looks= replicate= equivalence= train.eval_sets=
check "words of a key" gives "headcount run x --set method=" "grid random"
check "... of a mapping's" gives "headcount run x --set metric.name=" "val_acc val_loss"
check "... and its other" gives "headcount run x --set metric.goal=m" "maximize minimize"
check "... of no kind" gives "headcount run x --set tune.seeds=" ""
check "values of a key" gives "headcount run x --set model.norm=" "post pre"
check "... begun" gives "headcount run x --set train.schedule.name=co" "constant cosine"
check "... behind two equals signs" gives "headcount run x --set=train.schedule.name=co" "constant cosine"
mkdir texts
: >"texts/a b.txt"
: >texts/c.csv
check "files of one's own" gives "headcount run x --set task.file=texts/c" "texts/c.csv"
check "... of any ending" has "headcount plan x --set task.file=texts/" "texts/a b.txt" texts/c.csv
check "... behind two equals signs" gives "headcount run x --set=task.file=texts/c" "texts/c.csv"
check "... for the command tasks" gives "headcount tasks text --set file=texts/c" "texts/c.csv"
check "... and folders" has "headcount run x --set task.file=te" texts
check "what is read from a file is no key" gives "headcount run x --set task.sha" ""
check "names of tasks as a value" has "headcount plan x --set task.name=" gather copy
check "sweeps" gives "headcount report q" "quick"
check "what sweep does" gives "headcount sweep re" "rename"
check "... to which" gives "headcount sweep delete q" "quick"
check "a second sweep" gives "headcount report other q" "quick"
check "sweeps of another file" gives "headcount report --db elsewhere.db " "other"
check "... named with an equals sign" gives "headcount report --db=elsewhere.db o" "other"
check "... and to export" gives "headcount export --db elsewhere.db results " "other"
check "trials" gives "headcount show " "1 2 3 4 5 6 7 8 9 10 11 12"
check "... begun" gives "headcount show 1" "1 10 11 12"
check "... to export" gives "headcount export weights 1" "1 10 11 12"
check "results files" gives "headcount status --db els" "elsewhere.db elsewhere.db.d"
check "... behind an equals sign" gives "headcount status --db=els" "elsewhere.db elsewhere.db.d"
check "tasks" gives "headcount tasks r" "recall reverse"
check "model and train beside them" gives "headcount tasks tra" "train"
check "what is exported" gives "headcount export " "attention curves results tensorboard testset trials weights"
check "... curves of which sweep" gives "headcount export curves q" "quick"
check "whose heads" has "headcount heads " quick 1 12
check "... on which examples" gives "headcount heads quick --on " "test val"
check "... behind an equals sign" gives "headcount heads --on=te" "test"
check "whose heads are removed" has "headcount prune " quick 1 12
check "... by which method" gives "headcount prune quick --by " "ablation importance random"
check "... behind an equals sign" gives "headcount export weights 1 f --by=ra" "random"
check "what answers together" gives "headcount ensemble q" "quick"
check "words of an option of params" gives "headcount params --positions " "learned none rotary sinusoidal"
check "behind -- stand arguments" gives "headcount report -- q" "quick"
check "help" gives "headcount help sh" "show"
check "... on terms" gives "headcount help te" "terms"
check "no such command" gives "headcount frobnicate --" ""
check "no results file, no complaint" gives "headcount show --db nowhere.db " ""
check "... and none is made" [ ! -e nowhere.db ]
echo "no database" >broken.db
check "no results file at all" gives "headcount report --db broken.db " ""
check "nothing from a file is run" sh -c 'bash offers.bash "headcount report q" && [ ! -e hacked ]'
check "the hidden command is silent" \
    sh -c '[ -z "$(headcount complete nothing 2>&1; headcount complete 2>&1; headcount complete options 2>&1)" ]'
check "... and hidden" sh -c '! headcount --help | grep -qw complete'
finish
