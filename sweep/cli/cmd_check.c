/* headcount check: verifies a results file from end to end: the pages of the database, what its
 * tables promise each other, and every file of weights against its SHA-256. */
#include "sweep/cli/command.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/sha256.h"
#include "engine/base/text.h"
#include "sweep/run/result.h"
#include "sweep/run/trial_files.h"
#include "sweep/store/rows.h"

struct check_options {
    const char *db;
    long problems;
    long trials, files;
};

static const struct command_option options[] = {
    COMMAND_DB_OPTION(struct check_options),
    {.name = NULL},
};

static const struct command_syntax syntax = {
    .name = "check",
    .details =
        "Checks the integrity of the database, the rules between its tables, and the SHA-256 of\n"
        "every weight file. Changes nothing. Exit status 3 if something is wrong.\n",
    .options = options,
    .examples = "  headcount check\n",
};

/* Each query gives a row per violation: one value that names it. */
static const struct invariant {
    const char *broken, *sql;
} invariants[] = {
    {"the database is damaged", "SELECT integrity_check FROM pragma_integrity_check"
                                " WHERE integrity_check <> 'ok'"},
    {"rows refer to rows that do not exist",
     "SELECT count(*) || ' of ' || \"table\" || ' to ' || parent FROM pragma_foreign_key_check"
     " GROUP BY \"table\", parent"},
    {"a trial that has not run has results",
     "SELECT 'trial ' || trial_id FROM trial WHERE state IN ('queued', 'running', 'pruned')"
     " AND (test_acc IS NOT NULL OR checkpoint IS NOT NULL)"},
    {"a completed trial did not do all its steps",
     "SELECT 'trial ' || trial_id FROM trial JOIN config USING (config_id)"
     " WHERE state = 'completed' AND steps_done <> steps"},
    {"a completed trial has no row of the curve at its last or its best step",
     "SELECT 'trial ' || trial_id FROM trial AS t WHERE state = 'completed' AND (NOT EXISTS "
     "(SELECT 1"
     " FROM curve AS c WHERE c.trial_id = t.trial_id AND c.step = t.steps_done) OR NOT EXISTS"
     " (SELECT 1 FROM curve AS c WHERE c.trial_id = t.trial_id AND c.step = t.best_step))"},
    {"the best step is not the earliest with the best metric",
     "SELECT 'trial ' || trial_id FROM (SELECT trial_id, best_step, step, row_number() OVER"
     " (PARTITION BY trial_id ORDER BY CASE metric WHEN 'val_loss' THEN curve.val_loss"
     " ELSE -curve.val_acc END, step) AS place FROM trial JOIN sweep USING (sweep_id)"
     " JOIN curve USING (trial_id) WHERE state = 'completed')"
     " WHERE place = 1 AND step <> best_step"},
    {"a diverged trial does not say at which step",
     "SELECT 'trial ' || trial_id FROM trial WHERE state = 'diverged' AND bad_step IS NULL"},
    {"a trial has ended, but no attempt ended it",
     "SELECT 'trial ' || t.trial_id FROM trial AS t LEFT JOIN attempt AS a USING (trial_id, "
     "attempt)"
     " WHERE state IN ('completed', 'diverged', 'failed')"
     " AND (a.trial_id IS NULL OR a.outcome IS NULL OR a.outcome <> t.state)"},
    {"a trial completed more than once",
     "SELECT 'trial ' || trial_id FROM attempt WHERE outcome IN ('completed', 'diverged')"
     " GROUP BY trial_id HAVING count(*) > 1"},
    {"what is recorded as weights is no file's name",
     "SELECT 'trial ' || trial_id FROM trial WHERE instr(checkpoint, '/') > 0 OR checkpoint = ''"},
    {"an attempt was left open",
     "SELECT 'trial ' || trial_id || ' attempt ' || a.attempt FROM attempt AS a JOIN trial AS t"
     " USING (trial_id) WHERE a.ended IS NULL AND (t.state <> 'running' OR a.attempt <> "
     "t.attempt)"},
};

static enum status check_invariants(struct store *s, struct check_options *o, struct message *m)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof invariants / sizeof invariants[0] && status == STATUS_OK; i++) {
        struct rows r = rows_open(s, m, invariants[i].sql, NO_VALUES);
        while (rows_next(&r)) {
            text_print(stdout, "%s: %s\n", invariants[i].broken, rows_text(&r, 0));
            o->problems++;
        }
        status = rows_close(&r);
    }
    return status;
}

/* Identities are the SHA-256 of what stands beside them. */
static enum status check_configs(struct store *s, struct check_options *o, struct message *m)
{
    enum { CONFIG, JSON, SHA256 };
    struct rows r =
        rows_open(s, m, "SELECT config_id, config_json, config_sha256 FROM config", NO_VALUES);
    while (rows_next(&r)) {
        char sha256[65];
        const char *json = rows_text(&r, JSON);
        sha256_hex(json, strlen(json), sha256);
        if (strcmp(sha256, rows_text(&r, SHA256)) != 0) {
            text_print(stdout, "a configuration does not match its SHA-256: config %" PRId64 "\n",
                       rows_integer(&r, CONFIG));
            o->problems++;
        }
    }
    return rows_close(&r);
}

static enum status check_files(struct store *s, struct check_options *o, struct message *m)
{
    enum { TRIAL, WEIGHTS, WEIGHTS_SHA256, CONFIG_SHA256, SEED, PARAMS };
    struct rows r = rows_open(s, m,
                              "SELECT trial_id, checkpoint, checkpoint_sha256, config_sha256, seed,"
                              " n_params FROM trial JOIN config USING (config_id)"
                              " WHERE checkpoint IS NOT NULL ORDER BY trial_id",
                              NO_VALUES);
    while (rows_next(&r)) {
        char path[TRIAL_PATH_MAX];
        struct result_file f;
        struct message why;
        snprintf(path, sizeof path, "%s/%s", store_folder(s), rows_text(&r, WEIGHTS));
        o->files++;
        struct result_owner owner = {rows_text(&r, CONFIG_SHA256), (uint32_t)rows_integer(&r, SEED),
                                     rows_integer(&r, PARAMS)};
        if (result_open(path, &owner, &f, &why) != STATUS_OK) {
            text_print(stdout, "the weights of trial %" PRId64 ": %s\n", rows_integer(&r, TRIAL),
                       why.text);
            o->problems++;
            continue;
        }
        if (!rows_text(&r, WEIGHTS_SHA256) ||
            strcmp(f.sha256, rows_text(&r, WEIGHTS_SHA256)) != 0) {
            text_print(stdout,
                       "the weights of trial %" PRId64 ": %s is not the file that was recorded\n",
                       rows_integer(&r, TRIAL), path);
            o->problems++;
        }
        result_close(&f);
    }
    return rows_close(&r);
}

static enum status check(struct store *s, void *context, struct message *m)
{
    struct check_options *o = context;
    enum status status = check_invariants(s, o, m);
    if (status == STATUS_OK)
        status = check_configs(s, o, m);
    if (status == STATUS_OK)
        status = check_files(s, o, m);
    struct rows r = rows_open(s, m, "SELECT count(*) FROM trial", NO_VALUES);
    if (rows_next(&r))
        o->trials = (long)rows_integer(&r, 0);
    enum status closed = rows_close(&r);
    if (status != STATUS_OK || closed != STATUS_OK)
        return status != STATUS_OK ? status : closed;
    text_print(stdout, "%s: %ld trials, %ld files of weights: %s\n", o->db, o->trials, o->files,
               o->problems ? "NOT as it should be" : "everything is as it should be");
    return STATUS_OK;
}

int command_check(int argc, char **argv)
{
    struct check_options o = {.db = COMMAND_DB};
    int arguments, exit_status;
    if (!command_parse(&syntax, argc, argv, &o, &arguments, &exit_status))
        return exit_status;
    exit_status = command_read_store("check", o.db, check, &o);
    return exit_status == EXIT_DONE && o.problems ? EXIT_SYSTEM : exit_status;
}
