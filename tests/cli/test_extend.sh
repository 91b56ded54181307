#!/bin/sh
# A new operation, initialisation, form of heads, measure of heads, task, command and chart each cost one file and one
# line, a new caveat of the verdict a function and a line, a new table of the results file its declaration, a new
# column of a view or of the report an entry, a new key of the sweep file a row and a member: a copy of this
# tree gets one of each, is built, and their checks cover them at once; halves of them are noticed. Speaks TAP.
make=${MAKE:-make}
unset MAKEFLAGS MFLAGS MAKEOVERRIDES SAN COVERAGE BUILD WERROR
. tests/tap.sh
plain || skip_all "a copy of the tree can be extended" "a plain build"
mkdir "$dir/tree"
# The sources and what is built already, with their times, so that only what changed is built.
cp -a Makefile engine datasets sweep tests "$dir/tree/"
mkdir "$dir/tree/build"
cp -a build/engine build/double build/datasets build/sweep build/*.h build/*.a "$dir/tree/build/" 2>/dev/null
cd "$dir/tree" || exit 1
# What includes a list is built anew: fast rather than fast to run.
make="$make -s MAKEFLAGS= OPT=-O0 HARDEN= WARN= DEBUG= LDFLAGS="
build() { $make "$@"; }
says() { # test program with its argument, patterns...: it builds, fails, and says why
    build "${1%% *}" || return 1
    ./$1 >said 2>&1 && return 1
    shift
    for pattern; do
        grep -q "$pattern" said || { cat said; return 1; }
    done
}

explains() { # pattern: headcount tasks model says so, wherever lines end
    ./headcount tasks model | tr -s '\n ' ' ' | grep -q "$1"
}

cat >engine/ops/op_twice.c <<'C'
/* y = 2 x. */
#include "engine/ops/op.h"

struct tensor *graph_twice(struct graph *g, struct tensor *x)
{
    return op_apply(g, &op_twice, NULL, 1, &x);
}

static enum status shape(const struct node *n, struct shape *out, struct message *m)
{
    if (!n->in[0])
        return op_mismatch(n, m, "needs x");
    *out = n->in[0]->shape;
    return STATUS_OK;
}

static void forward(struct node *n, struct pass *p)
{
    const struct tensor *x = n->in[0];
    for (long i = 0; i < pass_rows(x, p) * tensor_width(x); i++)
        n->out->data[i] = 2 * x->data[i];
}

static void backward(struct node *n, struct pass *p)
{
    struct tensor *x = n->in[0];
    real beta = tensor_grad_beta(x);
    for (long i = 0; i < pass_rows(x, p) * tensor_width(x); i++)
        x->grad[i] = 2 * n->out->grad[i] + (beta != 0 ? x->grad[i] : 0);
}

static const struct gradcheck_case cases[] = {{.name = "rows", .in = {SHAPE(3, 5)}}, {0}};

const struct op op_twice = {
    .name = "twice", .shape = shape, .forward = forward, .backward = backward, .cases = cases};
C
echo 'OP(twice, struct tensor *x)' >>engine/ops/ops.def
cat >engine/init_flat.c <<'C'
/* Every number .01. */
#include "engine/init.h"

static void fill(struct tensor *t, const struct init_role *role, struct rng *r)
{
    (void)role, (void)r;
    init_constant(t, 0.01);
}

const struct init init_flat = {.fill = fill};
C
echo 'INIT(flat, "every number .01")' >>engine/inits.def
cat >engine/form_ends.c <<'C'
/* Heads see the first and the last segment_width columns in turn. */
#include "engine/form.h"

static enum status check(const struct encoder_config *c, long *width, struct encoder_fault *fault,
                         struct message *m)
{
    static const char *const options[] = {"model.segment_width", "model.d_model", NULL};
    *width = form_segment_width(c);
    if (*width >= 1 && *width <= c->d_model)
        return STATUS_OK;
    *fault = (struct encoder_fault){.option = options};
    return status_fail(m, STATUS_BAD_INPUT, "the ends are %ld columns", *width);
}

static void draw(const struct encoder_config *c, long layer, long width, struct rng *r,
                 int32_t *columns)
{
    (void)layer, (void)r;
    for (long i = 0; i < (long)c->heads * width; i++)
        columns[i] = (int32_t)(i % width + (i / width % 2 ? (long)c->d_model - width : 0));
}

const struct form form_ends = {.check = check, .draw = draw, .segmented = true};
C
echo 'FORM(ends, "the first and the last columns in turn")' >>engine/forms.def
cat >engine/measures/measure_sink.c <<'C'
/* The mean weight of the first key. */
#include "engine/measures/rows.h"

static const struct measure_column columns[] = {{"sink", "mean weight of the first key"}, {0}};

static double sink(const real *w, long T, long i, int32_t keys)
{
    (void)T, (void)i, (void)keys;
    return (double)w[0];
}

static void add(const struct measure_view *v, double *sum)
{
    rows_add(v, sum, 1, sink);
}

const struct measure measure_sink = {.level = MEASURE_HEAD,
                                     .needs = MEASURE_WEIGHTS,
                                     .columns = columns,
                                     .kept = rows_kept,
                                     .add = add,
                                     .value = rows_mean};
C
echo 'MEASURE(sink)' >>engine/measures/measures.def
sed -e 's/"copy"/"shift"/; s/task_copy/task_shift/' \
    -e 's/inputs\[i\] = targets\[i\] = \(.*\);/inputs[i] = \1;\
    for (int64_t i = 0; i < o->length; i++)\
        targets[i] = inputs[(i + 1) % o->length];/' \
    -e 's/memcpy(targets.*;/for (int64_t i = 0; i < o->length; i++)\
        targets[(i + o->length - 1) % o->length] = inputs[i];/' \
    datasets/task_copy.c >datasets/task_shift.c
echo 'TASK(shift)' >>datasets/tasks.def
sed -i -e '/^struct rule {/i\
void write_moon(const struct writer *w)\
{\
    put(w, "All %d head counts ran at full moon", w->v->rows);\
}\
' \
    sweep/judge/verdict_rules.c
sed -i '/^RULE(not_tested/iRULE(moon, LIMIT, ANYTHING, ALL, false)' sweep/judge/verdict_rules.def
moon='{NAMED("moon"), .csv = "moon", ROW(test.n), .legend = " moon: its phase;", PAGE("Phase")},'
sed -i "/^    {NAMED(\"heads\"), ROW(arm)/a\    $moon" sweep/report/report_table.c
sed -i 's/ AS all_high$/&, mean * 100 AS percent/' sweep/db/views.sql
cat >sweep/page/zenith.js <<'J'
'use strict';

/* How high head counts rise. */
function zenithSection({set}) {
    return set.rows.map(r => element('p', {}, `${r.heads}: ${r.mean_acc}`));
}
J
sed -i "/^const SECTIONS/a\    ['zenith', 'Zenith', zenithSection]," sweep/page/page.js
cat >sweep/cli/cmd_wane.c <<'C'
/* headcount wane: not what the moon does. */
#include "sweep/cli/command.h"

static const struct command_option options[] = {
    {"full", 'f', COMMAND_FLAG, 0, NULL, "until it is `full`"}, {0}};
static const struct command_syntax syntax = {.name = "wane",
                                             .details = "Nothing is trained.\n",
                                             .options = options,
                                             .examples = "  headcount wane\n"};

int command_wane(int argc, char **argv)
{
    bool full = false;
    int arguments, exit_status;
    if (!command_parse(&syntax, argc, argv, &full, &arguments, &exit_status))
        return exit_status;
    puts(full ? "full" : "waning");
    return EXIT_DONE;
}
C
echo 'COMMAND(wane, "wane [options]", "watch the moon")' >>sweep/cli/commands.def
sed -i '/KEY("retries", /i\    KEY("tide", read_value, WHOLE(tide, 0, 8), .help = "height of the tide (0)"),' sweep/plan/config_keys.c
sed -i 's/^    int64_t run_cap;.*/&\n    int64_t tide;/' sweep/plan/config.h
cat >>sweep/db/schema.sql <<'S'

-- What trials dreamt of.
CREATE TABLE dream (
    trial_id INTEGER NOT NULL REFERENCES trial ON DELETE CASCADE,
    night    INTEGER NOT NULL CHECK (night >= 1),
    PRIMARY KEY (trial_id, night)
) STRICT, WITHOUT ROWID;
S

gradients=build/tests/gradient/test_gradients
check "a new operation builds, and its gradient is checked and right" \
    sh -c "$make $gradients && $gradients every_operation && $gradients forms"
check "a new task is known to the program" \
    sh -c "$make && ./headcount tasks shift | grep -q shift"
check "a new initialisation is offered and explained" \
    explains 'model\.init [a-z_, ]*, flat (default pytorch) .*; flat: every number \.01 model\.'
check "a new form of heads is offered and explained" \
    explains 'model\.form [a-z_, ]*, ends (default project) .*; ends: the first and the last columns in turn model\.'
check "... and params shows what its heads see" \
    sh -c "./headcount params --shapes --set model.form=ends --set model.segment_width=3 --set model.d_model=8 --heads 2 |
    grep -q '^ *all *1 .* 5:8$'"
# The oracle and examples of the task are held against each other at once; two things only its author knows.
check "the tests of tasks ask for a worked case of the new task" says build/tests/unit/test_tasks 'task shift has no case'
check "... and for its recorded meaning" says build/tests/unit/test_tasks_known '"shift", 1, .* is not what was recorded'
cat >shift.yaml <<'Y'
# Does a new task train?
task: {name: shift, length: 8, vocab: 4}
model: {d_model: 16, heads: [1, 2], d_ff: 16, init: flat, form: ends, segment_width: 5}
train: {steps: 20, batch: 8, eval_every: 10, val_examples: 8, test_examples: 8}
seeds: 1
measure: evals
Y
check "a sweep trains on the new task, with the new heads and initial weights" \
    ./headcount run shift.yaml --db "$dir/x.db" --quiet
check "a value that the new form refuses is refused with its key" \
    sh -c "./headcount plan shift.yaml --set model.segment_width=17 2>&1 |
    grep -q 'model.segment_width: .*the ends are 17 columns'"
check "a new measure has its column in the results file, with a value for every head" \
    [ "$(sqlite3 "$dir/x.db" 'SELECT count(*) FROM head_metric WHERE sink BETWEEN 0 AND 1')" = 6 ]
check "... and in the CSV of heads" \
    sh -c "./headcount heads 1 --db '$dir/x.db' --quiet --csv | grep -q '^layer,head,.*,sink'"
in_all_reports() { # pattern
    ./headcount report --db "$dir/x.db" --html page.html && grep -q "$1" page.html || return 1
    for format in --markdown --json ''; do
        ./headcount report --db "$dir/x.db" $format | tr -s '\n ' ' ' | grep -q "$1" || return 1
    done
}
check "a new caveat of the verdict is in text, Markdown, JSON and page" \
    in_all_reports 'All 2 head counts ran at full moon\.'
check "a new column of the report is in text and Markdown, with its meaning" \
    sh -c "./headcount report --db '$dir/x.db' | grep -q '^heads.* moon ' &&
        ./headcount report --db '$dir/x.db' --markdown | grep -q '^| heads | moon | .*' &&
        ./headcount report --db '$dir/x.db' | tr -s '\n ' ' ' | grep -q ' moon: its phase;'"
check "... and in JSON, CSV and the page's table" \
    sh -c "./headcount report --db '$dir/x.db' --json | grep -q '\"heads\":1,\"moon\":1,' &&
        ./headcount report --db '$dir/x.db' --csv | grep -q '^sweep,.*,moon$' &&
        ./headcount report --db '$dir/x.db' --html - | grep -q '{\"title\":\"Phase\",\"key\":\"moon\"}'"
check "a new column of a view is in the CSV, the JSON and the results file" \
    sh -c "./headcount report --db '$dir/x.db' --csv | grep -q '^sweep,.*,all_high,percent,moon$' &&
        ./headcount report --db '$dir/x.db' --json | grep -q '\"percent\":' &&
        sqlite3 '$dir/x.db' 'SELECT percent FROM by_heads' | grep -q '^[0-9.]*$'"
check "a new chart is in the page" sh -c "./headcount report --db '$dir/x.db' --html page.html &&
    grep -q '^function zenithSection' page.html && grep -q \"'Zenith', zenithSection\" page.html"

in_man_page() { # lines that follow one another
    $make build/headcount.1 && sed 's/\\f[A-Z]//g; s/\\//g' build/headcount.1 | tr '\n' '|' | grep -qF "$1"
}
check "a new command runs" [ "$(./headcount wane)/$(./headcount wane --full)" = waning/full ]
check "... and completion offers it and its option" \
    sh -c "./headcount complete commands | grep -qx wane && ./headcount complete options wane | grep -qx -e --full"
check "... and the man page has both" \
    in_man_page '|.SS "wane"|Watch the moon.|Nothing is trained.|.TP|-f, --full|Until it is full.|'
check "a new key can be set" ./headcount plan shift.yaml --set tide=8
check "... but only in its range" sh -c "./headcount plan shift.yaml --set tide=9 2>&1 | grep -q 'tide is 9; allowed: 0 to 8'"
check "... and completion offers it" sh -c "./headcount complete keys | grep -qx tide"
check "... and the man page has it" in_man_page '|.TP|tide|Height of the tide (0).|'

sqlite3 "$dir/x.db" 'INSERT INTO dream SELECT trial_id, 10 * trial_id FROM trial'
breaks() { # SQL, words of check
    cp "$dir/x.db" "$dir/broken.db" && cp -r "$dir/x.db.d" "$dir/broken.db.d"
    sqlite3 "$dir/broken.db" "PRAGMA ignore_check_constraints = ON; $1"
    fails ./headcount check --db "$dir/broken.db" >said 2>&1 && grep -q "$2" said
}
dreams() { # db: of which trials, and how many heads these have
    sqlite3 "$1" "SELECT group_concat(night || ':' || heads) FROM (SELECT * FROM dream JOIN trials USING (trial_id)
        ORDER BY night)"
}
check "check looks at the rows of a new table" \
    breaks 'INSERT INTO dream VALUES (1, 0)' 'CHECK constraint failed in dream'
check "... and names those that belong to no trial" breaks 'INSERT INTO dream VALUES (99, 1)' '1 of dream to trial'
./headcount run shift.yaml --db "$dir/y.db" --quiet --set name=first --set seeds=3 >said 2>&1
for time in once twice; do
    check "a file with a new table can be merged $time" \
        sh -c "./headcount merge --into '$dir/y.db' '$dir/x.db'"
    check "... and the new rows keep their trials" [ "$(dreams "$dir/y.db")" = "$(dreams "$dir/x.db")" ]
done
check "rows of a new table are deleted with their sweep" sh -c "./headcount sweep delete shift --yes --db '$dir/y.db' &&
    [ \$(sqlite3 '$dir/y.db' 'SELECT count(*) FROM dream') = 0 ]"

sed -i 's/= 2 \* n->out->grad/= -2 * n->out->grad/' engine/ops/op_twice.c
check "a flipped sign in an operation's gradient is noticed" \
    sh -c "$make $gradients && ! $gradients every_operation"
sed -i 's/, .cases = cases//' engine/ops/op_twice.c
check "an operation without a gradient-check case is noticed" says "$gradients every_operation" \
    'operation twice has no gradient-check case'
sed -i 's/.*\.oracle = oracle.*//' datasets/task_shift.c
check "a task without an oracle is noticed" says build/tests/unit/test_tasks 'task shift has no oracle'
rm -r datasets/task_shift.c build/datasets build/libdatasets.a
check "a line in a list without its file does not link" fails build headcount
finish
