/* usage: scripted_agent SCRIPT HOST [words of the agent]
 *
 * Speaks the agent's side of agent_wire.h, as a launcher of `run --launch` that needs no machine
 * behind it. Its trials train nothing: what each comes to stands in SCRIPT, lines `KEY: EXPRESSION`
 * in SQL. An expression knows every option of the trial by its last name (heads, lr, slots), seed,
 * trial and attempt; and step, as all are evaluated whenever the trial is, and at step 0.
 *
 *   score     validation accuracy (.5)         loss     validation loss (1 - score)
 *   test      test accuracy (score)            seconds  how long a trial takes, within a half (0)
 *
 * Those below are 0, for no, unless they are given:
 *
 *   save      the trial writes a checkpoint    diverge  its validation loss is not finite
 *   exit      its worker ends with this status signal   ... by the signal of this number
 *   silent    the agent says nothing more      mute    ... of this trial, and beats
 *   stop      the coordinator gets SIGTERM     kill     ... SIGKILL (`exec` in --launch makes it
 *                                                       the agent's parent)
 *
 * All else is as with a worker: rungs, resuming, the lock, a durable result, of as many weights
 * (zeros, in one tensor). So one machine shows what the coordinator makes of a thousand
 * (bench/scale.sh), and what it makes of any results within milliseconds (cli/test_scenarios.sh).
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build_id.h"
#include "engine/base/arena.h"
#include "engine/base/clock.h"
#include "engine/base/file.h"
#include "engine/checkpoint.h"
#include "engine/nn.h"
#include "engine/train.h"
#include "sweep/db/lock.h"
#include "sweep/hosts/agent_wire.h"
#include "sweep/worker/result.h"
#include "sweep/worker/trial_files.h"
#include "sweep/worker/worker.h"

enum key {
    SCORE,
    LOSS,
    TEST,
    SECONDS,
    SAVE,
    DIVERGE,
    EXIT,
    SIGNAL,
    SILENT,
    MUTE,
    STOP,
    KILL,
    KEYS
};
static const struct {
    const char *name, *otherwise;
} key[KEYS] = {
    [SCORE] = {"score", ".5"},    [LOSS] = {"loss", "1 - score"}, [TEST] = {"test", "score"},
    [SECONDS] = {"seconds", "0"}, [SAVE] = {"save", "0"},         [DIVERGE] = {"diverge", "0"},
    [EXIT] = {"exit", "0"},       [SIGNAL] = {"signal", "0"},     [SILENT] = {"silent", "0"},
    [MUTE] = {"mute", "0"},       [STOP] = {"stop", "0"},         [KILL] = {"kill", "0"},
};

enum { EXPRESSION_MAX = 2000, ROWS_MAX = 1000 };

struct lane {
    bool busy, mute;
    bool stopping; /* it waits for the STOP that it asked for */
    double due_s;  /* when its trial ends */
    int lock;
    int64_t step; /* evaluated last, or of the checkpoint that it goes on from */
    struct job job;
};

struct agent {
    const char *script;
    char expression[KEYS][EXPRESSION_MAX];
    double beat_s, beaten_s;
    bool open;
    unsigned drawn; /* of rand_r */
    struct agent_in in;
    struct wire_buffer out;
    struct lane *lane[HOST_SLOTS_MAX]; /* NULL: without a job so far */
    int lanes;
    sqlite3 *db; /* of nothing, to ask expressions */
    /* What belongs to this configuration, of the trial at hand: */
    char config[POINT_JSON_MAX];
    struct point point;
    struct encoder_io io;
    struct task_shape shape;
    sqlite3_stmt *ask;
    struct arena arena;
    struct nn nn;
};

static _Noreturn void give_up(const char *why)
{
    fprintf(stderr, "scripted_agent: %s\n", why);
    exit(1);
}

static void expect(enum status s, const struct message *m)
{
    if (s != STATUS_OK)
        give_up(m->text);
}

static void expect_sql(const struct agent *a, int code)
{
    if (code != SQLITE_OK && code != SQLITE_ROW) {
        fprintf(stderr, "scripted_agent: %s: %s\n", a->script, sqlite3_errmsg(a->db));
        exit(1);
    }
}

static void say(struct agent *a, uint32_t type, int slot, const void *payload, size_t size)
{
    struct message m;
    expect(wire_put(&a->out, type, slot, payload, size, &m), &m);
}

static void introduce(struct agent *a, const char *host)
{
    char text[AGENT_TEXT_MAX];
    struct message m;
    struct agent_hello h = {
        .protocol = AGENT_PROTOCOL,
        .order = "little",
        .pid = getpid(),
        .cores = 1,
        .memory = 1e15,
        .sources = BUILD_SOURCES,
        .build = {BUILD_VERSION, BUILD_COMMIT, "none", "", "none", "none", "none", "none"}};
    snprintf(h.host, sizeof h.host, "%s", host);
    int length = agent_hello_format(&h, text, sizeof text);
    expect(wire_put_bytes(&a->out, AGENT_MAGIC, sizeof AGENT_MAGIC - 1, &m), &m);
    say(a, AGENT_HELLO, 0, text, (size_t)length);
}

/* ---- the script ---- */

static void read_script(struct agent *a)
{
    char line[EXPRESSION_MAX], name[16];
    int from;
    FILE *f = fopen(a->script, "r");
    if (!f)
        give_up("there is no such script");
    for (int k = 0; k < KEYS; k++)
        snprintf(a->expression[k], EXPRESSION_MAX, "%s", key[k].otherwise);
    while (fgets(line, sizeof line, f)) {
        int k = 0;
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, " %15[a-z]: %n", name, &from) != 1)
            give_up(line);
        while (k < KEYS && strcmp(key[k].name, name) != 0)
            k++;
        if (k == KEYS)
            give_up(line);
        snprintf(a->expression[k], EXPRESSION_MAX, "%s", line + from);
    }
    fclose(f);
    expect_sql(a, sqlite3_open(":memory:", &a->db));
}

/* Its options, each under its last name: "4. AS heads,0.001 AS lr". Numbers are reals, so that /
 * does not cut. */
static char *list_options(struct agent *a, const char *config)
{
    sqlite3_stmt *s;
    expect_sql(a, sqlite3_prepare_v2(a->db,
                                     "SELECT group_concat(iif(type = 'integer', atom || '.',"
                                     " quote(atom)) || ' AS \"' || key || '\"')"
                                     " FROM json_tree(?) WHERE atom IS NOT NULL"
                                     " AND typeof(key) = 'text'",
                                     -1, &s, NULL));
    expect_sql(a, sqlite3_bind_text(s, 1, config, -1, SQLITE_STATIC));
    expect_sql(a, sqlite3_step(s));
    char *list = strdup((const char *)sqlite3_column_text(s, 0));
    sqlite3_finalize(s);
    return list;
}

static void prepare(struct agent *a, const char *config)
{
    struct text_buffer sql = {0};
    char *options = list_options(a, config);
    sqlite3_finalize(a->ask);
    text_add(&sql, "SELECT score");
    for (int k = SCORE + 1; k < KEYS; k++)
        text_add(&sql, ", (%s)", a->expression[k]);
    text_add(&sql,
             " FROM (SELECT *, (%s) AS score FROM (SELECT ?1 AS seed, ?2 AS trial, ?3 AS"
             " attempt, ?4 AS step, %s))",
             a->expression[SCORE], options);
    expect_sql(a, sqlite3_prepare_v2(a->db, sql.text, -1, &a->ask, NULL));
    free(options);
    free(sql.text);
}

/* The configuration of the trial at hand, with as many weights as its model has. */
static void take_config(struct agent *a, const char *config)
{
    struct message m;
    if (strcmp(a->config, config) == 0)
        return;
    expect(point_parse(config, &a->point, &m), &m);
    expect(point_check(&a->point, &a->io, &a->shape, NULL, &m), &m);
    prepare(a, config);
    arena_free(&a->arena);
    a->nn = (struct nn){0};
    nn_vector(&a->arena, &a->nn, "weights", INIT_BIAS,
              (long)encoder_parameters(&a->point.model, &a->io), 1);
    nn_finish(&a->arena, &a->nn, false);
    snprintf(a->config, sizeof a->config, "%s", config);
}

/* What the script says of a step. */
static void ask(struct agent *a, const struct job *j, int64_t step, double answer[KEYS])
{
    const double known[] = {j->seed, (double)j->trial, (double)j->attempt, (double)step};
    take_config(a, j->config);
    for (int i = 0; i < 4; i++)
        expect_sql(a, sqlite3_bind_double(a->ask, i + 1, known[i]));
    expect_sql(a, sqlite3_step(a->ask));
    for (int k = 0; k < KEYS; k++)
        answer[k] = sqlite3_column_double(a->ask, k);
    sqlite3_reset(a->ask);
}

/* ---- what a worker does ---- */

static struct wire_progress progress_at(const struct agent *a, int64_t step, double value)
{
    return (struct wire_progress){
        .step = step, .steps = a->point.train.steps, .loss = 1, .acc = .5, .value = value};
}

static void start(struct agent *a, const struct wire_frame *frame)
{
    char pid[24], path[TRIAL_PATH_MAX];
    double answer[KEYS];
    bool damaged = false;
    struct message m;
    if (!a->lane[frame->slot])
        a->lane[frame->slot] = calloc(1, sizeof *a->lane[frame->slot]);
    struct lane *l = a->lane[frame->slot];
    if (!l || l->busy)
        give_up(l ? "two trials in one slot" : "out of memory");
    if (frame->slot >= a->lanes)
        a->lanes = frame->slot + 1;
    struct job *j = &l->job;
    expect(wire_job_parse(frame->payload, j, &m), &m);
    trial_file_path(j->folder, j->trial, j->attempt, TRIAL_FILE_LOCK, path, sizeof path);
    expect(lock_hold(path, &l->lock, &m), &m);
    l->step = trial_files_newest(j->folder, j->trial, j->attempt - 1, INT64_MAX, path, sizeof path,
                                 &damaged);
    l->step = l->step > 0 ? l->step : 0;
    l->busy = true;
    l->stopping = l->mute = false;
    ask(a, j, l->step, answer);
    l->due_s = clock_now_s() + answer[SECONDS] * (.5 + rand_r(&a->drawn) / (double)RAND_MAX);
    struct wire_progress p = progress_at(a, l->step, .5);
    int length = snprintf(pid, sizeof pid, "%ld", (long)getpid());
    say(a, AGENT_SPAWNED, frame->slot, pid, (size_t)length);
    say(a, WIRE_STARTED, frame->slot, &p, sizeof p);
}

static void end(struct agent *a, int slot, int exit_code, int signal_number)
{
    char text[AGENT_TEXT_MAX];
    struct worker_end e = {
        .exit_code = exit_code, .signal = signal_number, .cpu_s = .001, .max_rss_kib = 10000};
    if (exit_code != WORKER_FINISHED && exit_code != WORKER_STOPPED && exit_code != WORKER_PAUSED)
        snprintf(e.error, sizeof e.error, "its script says so");
    say(a, AGENT_ENDED, slot, text, (size_t)agent_ended_format(&e, text, sizeof text));
    close(a->lane[slot]->lock);
    a->lane[slot]->busy = false;
}

/* A whole checkpoint of the model, as its seed draws it. */
static void save(struct agent *a, const struct lane *l)
{
    struct arena room;
    struct trainer *t;
    struct message m;
    char path[TRIAL_PATH_MAX], seed[16];
    const struct job *j = &l->job;
    snprintf(seed, sizeof seed, "%" PRIu32, j->seed);
    const struct safetensors_meta extra[] = {
        {"build", j->build}, {"config", j->config}, {"seed", seed}, {NULL, NULL}};
    arena_init(&room, NULL);
    take_config(a, j->config);
    expect(
        trainer_new(&room, &a->point.model, &a->io, &a->point.train, j->seed, NULL, NULL, &t, &m),
        &m);
    t->step = l->step;
    trial_file_path(j->folder, j->trial, j->attempt, TRIAL_FILE_CHECKPOINT_0, path, sizeof path);
    expect(checkpoint_write(path, t, NULL, "", extra, &m), &m);
    arena_free(&room);
    trial_files_remove_checkpoints(j->folder, j->trial, j->attempt - 1, NULL);
}

static void say_rows(struct agent *a, int slot, const struct curve_row *row, int count)
{
    struct text_buffer text = {0};
    struct json_writer json = {.text = &text};
    json_begin_list(&json, NULL);
    for (int i = 0; i < count; i++)
        curve_row_json(&row[i], &json);
    json_end_list(&json);
    say(a, WIRE_CURVE, slot, text.text, text.used);
    free(text.text);
}

/* It has come this far: the rows of its curve, and what they come to. */
struct course {
    struct curve_row row[ROWS_MAX];
    struct result result;
};

static void add_row(struct agent *a, const struct job *j, int64_t step, const double answer[KEYS],
                    struct course *c)
{
    struct result *r = &c->result;
    if (r->rows == ROWS_MAX)
        give_up("too many evaluations");
    struct curve_row *row = &c->row[r->rows++];
    *row = (struct curve_row){.step = step,
                              .train_loss = answer[LOSS],
                              .train_acc = answer[SCORE],
                              .val_loss = answer[LOSS],
                              .val_acc = answer[SCORE],
                              .grad_norm = 1,
                              .lr = .001,
                              .elapsed_s = .001 * (double)r->rows,
                              .cpu_s = .001 * (double)r->rows};
    const struct curve_row *best = NULL;
    for (int i = 0; i < r->rows - 1; i++)
        if (c->row[i].step == r->best_step)
            best = &c->row[i];
    r->steps_done = step;
    if (best && metric_cost(j->metric, row->val_acc, row->val_loss) >=
                    metric_cost(j->metric, best->val_acc, best->val_loss))
        return;
    r->has_best = true;
    r->best_step = step;
    r->train_acc = r->val_acc = answer[SCORE];
    r->test_acc = r->test_exact = answer[TEST];
    r->test_loss = answer[LOSS];
    r->slots = (int)a->shape.slots;
    for (int i = 0; i < r->slots; i++)
        r->test_acc_by_slot[i] = answer[TEST];
}

static int64_t next_evaluation(const struct agent *a, int64_t step)
{
    int64_t every = a->point.train.eval_every, next = step - step % every + every;
    return next < a->point.train.steps ? next : a->point.train.steps;
}

/* What stops it here. False: it goes on. */
static bool obey_script(struct agent *a, int slot, const double answer[KEYS])
{
    if (answer[SILENT] != 0)
        for (;;)
            pause();
    if (answer[KILL] != 0) {
        kill(getppid(), SIGKILL);
        exit(0);
    }
    if (answer[STOP] != 0)
        kill(getppid(), SIGTERM);
    a->lane[slot]->stopping = answer[STOP] != 0;
    a->lane[slot]->mute = answer[MUTE] != 0;
    if (answer[EXIT] != 0 || answer[SIGNAL] != 0)
        end(a, slot, (int)answer[EXIT], (int)answer[SIGNAL]);
    return answer[MUTE] != 0 || answer[STOP] != 0 || answer[EXIT] != 0 || answer[SIGNAL] != 0;
}

static void pause_at_rung(struct agent *a, int slot, const struct course *c)
{
    struct wire_progress p = progress_at(a, a->lane[slot]->step, c->result.val_acc);
    save(a, a->lane[slot]);
    say_rows(a, slot, c->row, c->result.rows);
    say(a, WIRE_PAUSED, slot, &p, sizeof p);
    end(a, slot, WORKER_PAUSED, 0);
}

static void finish(struct agent *a, int slot, struct course *c)
{
    const struct job *j = &a->lane[slot]->job;
    char name[TRIAL_NAME_MAX], path[TRIAL_PATH_MAX];
    struct result *r = &c->result;
    struct message m;
    struct wire_progress p =
        progress_at(a, r->steps_done, metric_value(j->metric, r->val_acc, r->test_loss));
    trial_file_name(j->trial, j->attempt, TRIAL_FILE_RESULT, name, sizeof name);
    trial_file_path(j->folder, j->trial, j->attempt, TRIAL_FILE_RESULT, path, sizeof path);
    r->curve = c->row;
    r->chance = a->shape.chance;
    r->train_s = .001 * r->rows;
    expect(result_write(path, r, &a->nn, j->config, j->seed, &m), &m);
    say(a, WIRE_PROGRESS, slot, &p, sizeof p);
    say(a, WIRE_FINISHED, slot, name, strlen(name));
    end(a, slot, WORKER_FINISHED, 0);
}

static void diverge(struct result *r, int64_t step)
{
    r->diverged = true;
    r->bad_step = step;
    r->steps_done = step - 1;
    r->error = "its script says so";
}

/* The whole of a trial, or as far as its script lets it. */
static void work(struct agent *a, int slot)
{
    static struct course c;
    struct lane *l = a->lane[slot];
    const struct job *j = &l->job;
    double answer[KEYS];
    int64_t from = l->step;
    ask(a, j, 0, answer);
    if (from == 0 && obey_script(a, slot, answer))
        return;
    c.result = (struct result){.resumed_from_step = from};
    for (int64_t step = next_evaluation(a, 0);; step = next_evaluation(a, step)) {
        ask(a, j, step, answer);
        if (step > from && answer[DIVERGE] != 0) {
            diverge(&c.result, step);
            break;
        }
        add_row(a, j, step, answer, &c);
        if (step > from) {
            l->step = step;
            say_rows(a, slot, &c.row[c.result.rows - 1], 1);
            if (answer[SAVE] != 0)
                save(a, l);
            if (obey_script(a, slot, answer))
                return;
        }
        if (step == a->point.train.steps)
            break;
        if (step >= from && j->until > 0 && step >= j->until) {
            pause_at_rung(a, slot, &c);
            return;
        }
    }
    finish(a, slot, &c);
}

static void stop(struct agent *a, int slot)
{
    struct lane *l = a->lane[slot];
    take_config(a, l->job.config);
    save(a, l);
    struct wire_progress p = progress_at(a, l->step, .5);
    say(a, WIRE_STOPPED, slot, &p, sizeof p);
    end(a, slot, WORKER_STOPPED, 0);
}

/* ---- the coordinator's orders ---- */

static void open_folder(struct agent *a, const char *text)
{
    struct agent_open o;
    struct message m;
    char path[PATH_MAX + 80];
    void *proof;
    size_t size;
    expect(agent_open_parse(text, &o, &m), &m);
    snprintf(path, sizeof path, "%s/%s", o.folder, o.proof);
    expect(file_read(path, 128, &proof, &size, &m), &m);
    say(a, AGENT_READY, 0, proof, strlen(proof));
    free(proof);
    a->open = true;
    a->beat_s = o.beat_s;
}

static void obey(struct agent *a, const struct wire_frame *frame)
{
    const struct lane *l = frame->slot < a->lanes ? a->lane[frame->slot] : NULL;
    switch (frame->type) {
    case AGENT_OPEN:
        open_folder(a, frame->payload);
        break;
    case WIRE_START:
        start(a, frame);
        break;
    case AGENT_STOP:
        if (l && l->busy)
            stop(a, frame->slot);
        break;
    case AGENT_KILL:
        if (l && l->busy)
            end(a, frame->slot, 0, SIGKILL);
        break;
    case AGENT_BYE:
        exit(0);
    default:
        break;
    }
}

static void hear(struct agent *a)
{
    char bytes[65536];
    struct message m;
    struct wire_frame frame;
    ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);
    if (n == 0)
        exit(0);
    if (n < 0 && errno != EINTR)
        give_up(strerror(errno));
    if (n > 0)
        expect(agent_feed(&a->in, bytes, (size_t)n, &m), &m);
    while (wire_next(&a->in.frames, &frame))
        obey(a, &frame);
}

/* Ends what is due, and returns for how long nothing is. */
static double do_what_is_due(struct agent *a)
{
    double now = clock_now_s(), next = a->open ? a->beaten_s + a->beat_s : now + 1;
    for (int i = 0; i < a->lanes; i++) {
        const struct lane *l = a->lane[i];
        if (!l || !l->busy || l->stopping || l->mute)
            continue;
        if (l->due_s <= now)
            work(a, i);
        else if (l->due_s < next)
            next = l->due_s;
    }
    if (a->open && now >= a->beaten_s + a->beat_s) {
        say(a, AGENT_BEAT, 0, NULL, 0);
        for (int i = 0; i < a->lanes; i++)
            if (a->lane[i] && a->lane[i]->busy && !a->lane[i]->mute)
                say(a, AGENT_RUNS, i, NULL, 0);
        a->beaten_s = now;
    }
    return next > now ? next - now : 0;
}

int main(int count, char **argument)
{
    static struct agent a;
    struct message m;
    if (count < 3)
        give_up("usage: scripted_agent SCRIPT HOST");
    a.script = argument[1];
    a.drawn = (unsigned)getpid();
    arena_init(&a.arena, NULL);
    read_script(&a);
    introduce(&a, argument[2]);
    for (;;) {
        double idle_s = do_what_is_due(&a);
        struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
        expect(wire_flush(&a.out, STDOUT_FILENO, &m), &m);
        if (poll(&in, 1, (int)(1e3 * idle_s) + 1) > 0)
            hear(&a);
    }
}
