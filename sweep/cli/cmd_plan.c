/* headcount plan: what `run` would do, without doing or writing anything. */
#include "sweep/cli/command_plan.h"
#include "sweep/cli/forecast_text.h"

#include <unistd.h>

#include "engine/base/json_write.h"

struct plan_options {
    const char *db, *shard, *threads;
    struct command_texts set;
    struct forecast_view view;
    bool json;
};

static const struct command_option options[] = {
    {"workers", 'j', COMMAND_LONG, offsetof(struct plan_options, view.workers), "N",
     "trials at once, for the time estimate"},
    {"threads", 't', COMMAND_TEXT, offsetof(struct plan_options, threads), "N",
     "cores for each trial, as `run --threads`, for the time estimate"},
    COMMAND_DB_OPTION(struct plan_options),
    {"set", 0, COMMAND_TEXTS, offsetof(struct plan_options, set), "KEY=VALUE",
     "replace what the file says, as in train.steps=100; null removes it"},
    {"shard", 0, COMMAND_TEXT, offsetof(struct plan_options, shard), "K/N",
     "plan as `run --shard` would run: only the K-th of N parts of the trials"},
    {"retry-failed", 0, COMMAND_FLAG, offsetof(struct plan_options, view.retry_failed), NULL,
     "plan as `run --retry-failed` would run"},
    {"all", 0, COMMAND_FLAG, offsetof(struct plan_options, view.all), NULL,
     "one line per point, however many there are"},
    {"json", 0, COMMAND_FLAG, offsetof(struct plan_options, json), NULL, "every trial, as JSON"},
    {NULL, 0, COMMAND_FLAG, 0, NULL, NULL},
};

static const struct command_syntax syntax = {
    .name = "plan",
    .details =
        "Writes and creates nothing. Times come from finished trials of the same configuration,\n"
        "else from FLOPs at the speed of the trials that are most like it, half-done ones too,\n"
        "else at a speed that is measured now, in a fraction of a second.\n",
    .options = options,
    .examples = "  headcount plan configs/gather.yaml\n"
                "  headcount plan configs/gather.yaml --set seeds=20 --json\n"
                "  headcount plan configs/gather.yaml --shard 2/8\n",
    .least = 1,
    .most = 1,
};

static void write_trial(struct json_writer *w, const struct plan *p, const struct forecast *f,
                        long k, bool retry_failed)
{
    struct plan_trial t = plan_trial(p, k);
    const struct forecast_point *q = &f->point[t.point];
    enum forecast_state state = f->trial[k].state;
    struct plan_text name;
    plan_text(p, t.point, &name);
    json_new_line(w, 2);
    json_begin_object(w, NULL);
    json_add_integer(w, "point", t.point);
    json_add_integer(w, "heads", q->heads);
    json_add_integer(w, "seed", t.seed);
    json_add_json(w, "setting", name.setting);
    json_add_json(w, "replicate", name.replicate);
    json_add_json(w, "tuning", name.tuning);
    json_add_bool(w, "is_tuning", t.tuning);
    json_add_integer(w, "look", t.look);
    json_add_text(w, "config_sha256", q->sha256);
    json_add_integer(w, "n_params", q->n_params);
    json_add_real(w, "flops_per_step", q->flops_per_step);
    json_add_real(w, "estimated_s", q->trial_s);
    json_add_nonzero(w, "trial_id", f->trial[k].trial_id);
    json_add_text(w, "state", forecast_name(state));
    json_add_bool(w, "would_run", forecast_runs(state, retry_failed));
    json_add_text(w, "why", forecast_reason(state, f->trial[k].note, retry_failed));
    json_end_object(w);
}

/* One of a value that tune.extend has added: it is of no point of the plan. */
static void write_added(struct json_writer *w, const struct plan *p, const struct forecast *f,
                        const struct forecast_added *t, bool retry_failed)
{
    const struct forecast_point *q = &f->point[t->point];
    struct plan_text name;
    plan_text(p, t->point, &name);
    json_new_line(w, 2);
    json_begin_object(w, NULL);
    json_add_null(w, "point");
    json_add_integer(w, "added", t->steps);
    json_add_integer(w, "heads", q->heads);
    json_add_integer(w, "seed", t->seed);
    json_add_json(w, "setting", name.setting);
    json_add_json(w, "tuning", t->tuning);
    json_add_bool(w, "is_tuning", t->is_tuning);
    json_add_text(w, "config_sha256", t->sha256);
    json_add_nonzero(w, "trial_id", t->trial_id);
    json_add_text(w, "state", forecast_name(t->state));
    json_add_bool(w, "would_run", !t->spare && forecast_runs(t->state, retry_failed));
    json_add_text(w, "why", forecast_reason(t->state, t->note, retry_failed));
    json_end_object(w);
}

/* A value that tune.extend is to add. */
static void write_due(struct json_writer *w, const struct plan *p, const struct forecast *f,
                      const struct forecast_due *due)
{
    struct plan_text name;
    plan_text(p, due->point, &name);
    json_begin_object(w, NULL);
    json_add_integer(w, "heads", f->point[due->point].heads);
    json_add_json(w, "setting", name.setting);
    json_add_json(w, "tuning", due->tuning);
    json_add_integer(w, "trials", due->trials);
    json_end_object(w);
}

/* One on a fresh seed: it is of no point of the plan. */
static void write_confirming(struct json_writer *w, const struct plan *p, const struct forecast *f,
                             const struct forecast_confirming *t, bool retry_failed)
{
    struct plan_text name;
    plan_text(p, t->point, &name);
    json_new_line(w, 2);
    json_begin_object(w, NULL);
    json_add_null(w, "point");
    json_add_bool(w, "confirms", true);
    json_add_integer(w, "heads", f->point[t->point].heads);
    json_add_integer(w, "seed", t->seed);
    json_add_json(w, "setting", name.setting);
    json_add_text(w, "config_sha256", t->sha256);
    json_add_nonzero(w, "trial_id", t->trial_id);
    json_add_text(w, "state", forecast_name(t->state));
    json_add_bool(w, "would_run", forecast_runs(t->state, retry_failed));
    json_add_text(w, "why", forecast_reason(t->state, t->note, retry_failed));
    json_end_object(w);
}

static void write_json(const struct plan *p, const struct forecast *f, const struct plan_options *o)
{
    struct json_writer w = {.out = stdout, .spaced = true};
    long by_constraint;
    long by_exclude;
    long by_duplicate;
    plan_dropped(p, &by_constraint, &by_exclude, &by_duplicate);
    struct plan_shard shard = plan_shard(p);
    json_begin_object(&w, NULL);
    json_add_text(&w, "sweep", plan_config(p)->name);
    if (shard.of > 0) {
        json_begin_object(&w, "shard");
        json_add_integer(&w, "number", shard.number);
        json_add_integer(&w, "of", shard.of);
        json_end_object(&w);
    }
    json_add_integer(&w, "points", f->points);
    json_add_integer(&w, "planned", f->planned);
    json_add_integer(&w, "would_run", f->to_run);
    json_add_integer(&w, "not_needed", f->not_needed);
    json_add_integer(&w, "elsewhere", f->elsewhere);
    json_add_integer(&w, "leaving", f->leaving);
    json_add_nonzero(&w, "will_add", f->will_add);
    json_add_nonzero(&w, "may_add", f->may_add);
    json_add_nonzero(&w, "may_confirm", f->may_confirm);
    json_add_nonzero(&w, "may_choose_anew", f->reopened);
    json_begin_list(&w, "to_add");
    for (long i = 0; i < f->due_count; i++)
        write_due(&w, p, f, &f->due[i]);
    json_end_list(&w);
    json_begin_object(&w, "dropped");
    json_add_integer(&w, "constraint", by_constraint);
    json_add_integer(&w, "exclude", by_exclude);
    json_add_integer(&w, "duplicate", by_duplicate);
    json_end_object(&w);
    json_add_real(&w, "core_s", f->left_s.expected);
    json_add_real(&w, "least_core_s", f->left_s.least);
    json_add_real(&w, "most_core_s", f->left_s.most);
    json_new_line(&w, 1);
    json_begin_list(&w, "trials");
    for (long k = 0; k < f->trials; k++)
        write_trial(&w, p, f, k, o->view.retry_failed);
    for (long k = 0; k < f->added_count; k++)
        write_added(&w, p, f, &f->added[k], o->view.retry_failed);
    for (long k = 0; k < f->confirming_count; k++)
        write_confirming(&w, p, f, &f->confirming[k], o->view.retry_failed);
    printf("\n]}\n");
}

static enum status plan(const char *path, const struct plan_options *o, struct message *m)
{
    struct config *config = NULL;
    struct plan *p = NULL;
    struct store *s = NULL;
    struct forecast *f = NULL;
    struct plan_shard shard = {0};
    enum status status = o->shard ? plan_shard_read(o->shard, &shard, m) : STATUS_OK;
    if (status == STATUS_OK)
        status = command_read_sweep(path, NULL, &o->set, &config, m);
    if (status == STATUS_OK)
        status = command_threads(o->threads, config, m);
    if (status == STATUS_OK)
        status = command_plan_new("plan", config, o->db, &p, m);
    if (status == STATUS_OK)
        status = plan_set_shard(p, shard, m);
    if (status == STATUS_OK)
        command_plan_notes("plan", p);
    if (status == STATUS_OK)
        status = command_open_existing(o->db, &s, m);
    if (status == STATUS_OK)
        status = forecast_new(p, s, o->view.retry_failed, calibrate, &f, m);
    if (status == STATUS_OK && o->json)
        write_json(p, f, o);
    else if (status == STATUS_OK)
        status = forecast_text_write(p, f, &o->view, m);
    forecast_free(f);
    status = store_close_after(s, status, m);
    plan_free(p);
    config_free(config);
    return status;
}

int command_plan(int argc, char **argv)
{
    struct plan_options o = {.db = COMMAND_DB};
    struct message m = {{0}};
    int arguments;
    int exit_status;
    if (!command_parse(&syntax, argc, argv, &o, &arguments, &exit_status))
        return exit_status;
    enum status s = plan(argv[optind], &o, &m);
    return s == STATUS_OK ? EXIT_DONE : command_fail("plan", s, &m);
}
