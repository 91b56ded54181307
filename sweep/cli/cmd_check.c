/* headcount check: verifies a results file from end to end: the pages of the database, what its
 * tables promise each other, and every file of weights against its SHA-256. */
#include "sweep/cli/command.h"

#include <inttypes.h>
#include <string.h>

#include "engine/base/text.h"
#include "sweep/store/rows.h"
#include "sweep/store/store_check.h"
#include "sweep/worker/result.h"
#include "sweep/worker/trial_files.h"

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

static void tell(void *context, const char *broken, const char *what)
{
    struct check_options *o = context;
    text_print(stdout, "%s: %s\n", broken, what);
    o->problems++;
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
        struct result_owner owner = {rows_given(&r, CONFIG_SHA256),
                                     (uint32_t)rows_integer(&r, SEED), rows_integer(&r, PARAMS)};
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
    enum status status = store_check(s, tell, o, m);
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
