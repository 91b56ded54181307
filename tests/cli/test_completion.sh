#!/bin/sh
# Completion in bash: what is offered for a line, word for word. Speaks TAP. HEADCOUNT is the program;
# run from the repository's root.
. tests/tap.sh
not_sanitized "bash completes the command line"
settle
command -v bash >/dev/null || skip_all "bash completes the command line" bash
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

check "the beginning of a command is completed" gives "headcount st" "status"
check "all commands are offered" \
    has "headcount " run ask submit plan status report serve show heads prune ensemble tasks params export sweep gc bench \
    check help --help --version
check "the program is completed under another path, too" gives "./bin/headcount st" "status"
for c in $(headcount complete commands); do
    check "every option of $c is offered" \
        has "headcount $c --" $(headcount "$c" --help | sed -n 's/^  \(-., \|    \)\(--[a-z-]*=\{0,1\}\).*/\2/p')
done
check "options are offered after arguments, too" gives "headcount run configs/quick.yaml --re" "--replace --retry-failed"
check "ask offers files" has "headcount ask configs/q" configs/quick.yaml
check "... and the modes for --mode" gives "headcount ask a.csv --mode " "classify lm"
check "... also behind an equals sign" gives "headcount ask a.csv --mode=c" "classify"
check "... and the tasks for --task" gives "headcount ask --task re" "recall reverse"
check "... and nothing for --minutes" gives "headcount ask --task copy --minutes " ""
check "run offers sweep files" has "headcount run configs/q" configs/quick.yaml
check "... and so does submit" has "headcount submit configs/q" configs/quick.yaml
check "merge offers results files" has "headcount merge --into elsewhere.db else" elsewhere.db
check "... also for --into" has "headcount merge --into else" elsewhere.db
check "plan offers folders that lead to sweep files" has "headcount plan con" configs
check "run offers nothing after its one argument" gives "headcount run configs/quick.yaml " ""
check "--set offers keys" has "headcount run configs/quick.yaml --set tr" train.steps= train.lr= train.schedule.warmup=
check "... also claim and the keys in it" gives "headcount run x --set cl" "claim= claim.best= claim.better= claim.heads= claim.over= claim.than="
check "... also behind --set=" gives "headcount run x --set=train.st" "train.steps="
check "... also keys deep in a mapping" gives "headcount run x --set tune.r" "tune.rungs= tune.rungs.eta= tune.rungs.min_steps="
check "... also looks, replicate, equivalence and train.eval_sets" has "headcount run x --set " looks= replicate= equivalence= train.eval_sets=
check "the words that a key may have are offered" gives "headcount run x --set method=" "grid random"
check "... also for metric.name" gives "headcount run x --set metric.name=" "val_acc val_loss"
check "... also for metric.goal" gives "headcount run x --set metric.goal=m" "maximize minimize"
check "... and nothing for a number" gives "headcount run x --set tune.seeds=" ""
check "the values of a model's option are offered" gives "headcount run x --set model.norm=" "post pre"
check "... also once they are begun" gives "headcount run x --set train.schedule.name=co" "constant cosine"
check "... also behind two equals signs" gives "headcount run x --set=train.schedule.name=co" "constant cosine"
mkdir texts
: >"texts/a b.txt"
: >texts/c.csv
check "the user's files are offered for task.file" gives "headcount run x --set task.file=texts/c" "texts/c.csv"
check "... whatever their ending" has "headcount plan x --set task.file=texts/" "texts/a b.txt" texts/c.csv
check "... behind two equals signs" gives "headcount run x --set=task.file=texts/c" "texts/c.csv"
check "... also for the command tasks" gives "headcount tasks text --set file=texts/c" "texts/c.csv"
check "... and so are folders" has "headcount run x --set task.file=te" texts
check "a key that is read from a file is not offered" gives "headcount run x --set task.sha" ""
check "task names are offered for task.name" has "headcount plan x --set task.name=" gather copy
check "report offers sweeps" gives "headcount report q" "quick"
check "sweep offers its subcommands" gives "headcount sweep re" "rename"
check "... and the sweeps for them" gives "headcount sweep delete q" "quick"
check "report offers a second sweep" gives "headcount report other q" "quick"
check "the sweeps of the file in --db are offered" gives "headcount report --db elsewhere.db " "other"
check "... also behind an equals sign" gives "headcount report --db=elsewhere.db o" "other"
check "... also for export results" gives "headcount export --db elsewhere.db results " "other"
check "show offers trials" gives "headcount show " "1 2 3 4 5 6 7 8 9 10 11 12"
check "... that begin as given" gives "headcount show 1" "1 10 11 12"
check "... and so does export weights" gives "headcount export weights 1" "1 10 11 12"
check "--db offers results files" gives "headcount status --db els" "elsewhere.db elsewhere.db.d"
check "... also behind an equals sign" gives "headcount status --db=els" "elsewhere.db elsewhere.db.d"
check "tasks offers tasks" gives "headcount tasks r" "recall reverse"
check "... and the section train" gives "headcount tasks tra" "train"
check "export offers what can be exported" gives "headcount export " "attention curves results testset trials weights"
check "... and the sweeps for export curves" gives "headcount export curves q" "quick"
check "heads offers sweeps and trials" has "headcount heads " quick 1 12
check "... and test and val for --on" gives "headcount heads quick --on " "test val"
check "... also behind an equals sign" gives "headcount heads --on=te" "test"
check "prune offers sweeps and trials" has "headcount prune " quick 1 12
check "... and the methods for --by" gives "headcount prune quick --by " "ablation importance random"
check "... also behind an equals sign" gives "headcount export weights 1 f --by=ra" "random"
check "ensemble offers sweeps" gives "headcount ensemble q" "quick"
check "params offers the words of options to set" gives "headcount params --set model.positions=" "learned none rotary sinusoidal"
check "arguments are offered after --" gives "headcount report -- q" "quick"
check "help offers commands" gives "headcount help sh" "show"
check "... and terms" gives "headcount help te" "terms"
check "an unknown command is offered nothing" gives "headcount frobnicate --" ""
check "a missing results file gives no words and no complaint" gives "headcount show --db nowhere.db " ""
check "... and is not made" [ ! -e nowhere.db ]
echo "no database" >broken.db
check "a file that is no results file gives no words" gives "headcount report --db broken.db " ""
check "a command in a sweep's name is not run" sh -c 'bash offers.bash "headcount report q" && [ ! -e hacked ]'
check "the hidden command says nothing to wrong arguments" \
    sh -c '[ -z "$(headcount complete nothing 2>&1; headcount complete 2>&1; headcount complete options 2>&1)" ]'
check "... and is not in the help" sh -c '! headcount --help | grep -qw complete'
finish
