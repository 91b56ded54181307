#include "sweep/export/export_tensorboard.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "sweep/db/rows.h"
#include "sweep/export/event_file.h"
#include "sweep/worker/stop.h"

/* Seconds since 1970, of columns that hold a time in ISO 8601. */
#define SECONDS(time) "round((julianday(" time ") - 2440587.5) * 86400.0, 3)"
#define STARTED_S     SECONDS("started")
#define ENDED_S       SECONDS("ended")

static const char TRIALS[] =
    "SELECT trial_id, created, heads, seed, state, best_step, test_acc, test_loss, test_exact,"
    "       json_patch(json_patch(t.setting, t.tuning), t.replicate) AS varying,"
    "       (SELECT " STARTED_S " FROM attempt AS a WHERE a.trial_id = t.trial_id"
    "         ORDER BY attempt LIMIT 1),"
    "       (SELECT " ENDED_S " FROM attempt AS a WHERE a.trial_id = t.trial_id"
    "         ORDER BY attempt DESC LIMIT 1),"
    "       '    sweep: ' || s.name || char(10) || '    trial: ' || trial_id || char(10)"
    "       || '    seed: ' || seed || char(10) || '    config_sha256: ' || config_sha256"
    "       || (SELECT group_concat(char(10) || '    '"
    "             || replace(substr(fullkey, 3), '\"', '') || ': '"
    "             || replace(atom, char(10), ' '), '')"
    "             FROM json_tree(config_json) WHERE atom IS NOT NULL)"
    "  FROM trial AS t JOIN sweep AS s USING (sweep_id) JOIN config USING (config_id)"
    " WHERE sweep_id = ?1 AND in_plan = 1"
    "   AND EXISTS (SELECT 1 FROM curve WHERE curve.trial_id = t.trial_id)"
    " ORDER BY trial_id";
enum {
    TRIAL_ID,
    CREATED,
    HEADS,
    SEED,
    STATE,
    BEST_STEP,
    TEST_ACC,
    TEST_LOSS,
    TEST_EXACT,
    VARYING,
    STARTED,
    ENDED,
    CONFIG
};
static const char OPTIONS[] =
    "SELECT key, iif(type IN ('true', 'false'), type, value) FROM json_each(?1)";

/* A row is of the newest attempt that went on from an earlier step; what had been trained by then
 * is taken from the last row before. */
static const char CURVE[] =
    "SELECT step, " STARTED_S " + elapsed_s - coalesce("
    "         (SELECT elapsed_s FROM curve WHERE trial_id = ?1 AND step <= a.resumed_from_step"
    "           ORDER BY step DESC LIMIT 1), 0),"
    "       train_loss, train_acc, val_loss, val_acc, grad_norm, lr"
    "  FROM curve AS k LEFT JOIN attempt AS a ON a.trial_id = ?1 AND a.attempt ="
    "       (SELECT max(attempt) FROM attempt"
    "         WHERE trial_id = ?1 AND resumed_from_step < max(k.step, 1))"
    " WHERE k.trial_id = ?1 ORDER BY step";
enum { STEP, WALL, VALUES_OF_STEP };
static const char *const tags[] = {"train/loss", "train/acc",       "val/loss",
                                   "val/acc",    "optim/grad_norm", "optim/lr"};
enum { TAGS = sizeof tags / sizeof tags[0] };

struct export
{
    struct rows trials, options, curve;
    const char *folder;
    struct event_file events;
    size_t first; /* bytes of the first record */
    char name[512], *path;
    struct export_runs *runs;
    struct message *m;
};

/* Appends to the name of a run what every file system and shell takes as it is. */
static void add_name(struct export *e, const char *text)
{
    enum { NAME_BYTES_MAX = 200 }; /* of 255; seed and trial stand behind it */
    size_t used = strlen(e->name);
    for (; *text && used < NAME_BYTES_MAX; text++) {
        bool plain = (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') ||
                     (*text >= '0' && *text <= '9') || strchr("=.,+-", *text);
        e->name[used++] = plain ? *text : '_';
    }
    e->name[used] = '\0';
}

/* The options that vary: into the name, and for the tab HParams. */
static enum status put_options(struct export *e)
{
    const struct rows *t = &e->trials;
    char value[256], shown[256], key[256];
    event_file_hparam_number(&e->events, "model.heads", (double)rows_integer(t, HEADS));
    snprintf(e->name, sizeof e->name, "heads=%03lld", (long long)rows_integer(t, HEADS));
    rows_rebind(&e->options, VALUES(TEXT(rows_text(t, VARYING))));
    while (rows_next(&e->options)) {
        enum rows_kind kind = rows_kind(&e->options, 1);
        text_shown(rows_given(&e->options, 0), key, sizeof key);
        rows_copy(&e->options, 1, value, sizeof value);
        const char *dot = strchr(key, '.');
        add_name(e, ",");
        add_name(e, dot ? dot + 1 : key);
        add_name(e, "=");
        add_name(e, value);
        if (kind == ROWS_INTEGER || kind == ROWS_REAL)
            event_file_hparam_number(&e->events, key, rows_real(&e->options, 1));
        else
            event_file_hparam_text(&e->events, key, text_shown(value, shown, sizeof shown));
    }
    event_file_hparam_number(&e->events, "seed", (double)rows_integer(t, SEED));
    size_t used = strlen(e->name);
    snprintf(e->name + used, sizeof e->name - used, ",seed=%04lld,trial=%05lld",
             (long long)rows_integer(t, SEED), (long long)rows_integer(t, TRIAL_ID));
    return e->options.status;
}

/* Where times are not there (a hand has been at them), the trial's start stands for them. */
static double time_or(double time, double instead)
{
    return isfinite(time) ? time : isfinite(instead) ? instead : 0;
}

static enum status put_events(struct export *e)
{
    struct rows *t = &e->trials;
    char created[64], writer[160];
    double start = time_or(rows_real(t, STARTED), 0), last = start;
    text_shown(rows_given(t, CREATED), created, sizeof created);
    snprintf(writer, sizeof writer, "headcount: trial %lld of the sweep planned %s",
             (long long)rows_integer(t, TRIAL_ID), created);
    event_file_clear(&e->events);
    event_file_begin(&e->events, start, writer);
    e->first = e->events.file.used;

    event_file_event(&e->events, start, 0);
    enum status status = put_options(e);
    event_file_session_start(&e->events, start);
    event_file_text(&e->events, "config", rows_given(t, CONFIG));

    rows_rebind(&e->curve, VALUES(INTEGER(rows_integer(t, TRIAL_ID))));
    while (status == STATUS_OK && rows_next(&e->curve)) {
        last = time_or(rows_real(&e->curve, WALL), last);
        event_file_event(&e->events, last, rows_integer(&e->curve, STEP));
        for (int i = 0; i < TAGS; i++)
            event_file_scalar(&e->events, tags[i], rows_real(&e->curve, VALUES_OF_STEP + i));
    }
    if (status == STATUS_OK)
        status = e->curve.status;
    enum trial_state state = rows_state(t, STATE);
    if (state == TRIAL_COMPLETED) {
        event_file_event(&e->events, last, rows_integer(t, BEST_STEP));
        event_file_scalar(&e->events, "test/acc", rows_real(t, TEST_ACC));
        event_file_scalar(&e->events, "test/loss", rows_real(t, TEST_LOSS));
        event_file_scalar(&e->events, "test/exact", rows_real(t, TEST_EXACT));
    }
    if (trial_state_ended(state))
        event_file_session_end(&e->events, state == TRIAL_COMPLETED,
                               time_or(rows_real(t, ENDED), last));
    return status == STATUS_OK ? event_file_end(&e->events, e->m) : status;
}

/* Whether the file at e->path has to be written: it is not there, or an earlier state of the same
 * trial. */
static enum status compare(struct export *e, bool *write)
{
    enum { FILE_BYTES_MAX = 1 << 30 };
    struct event_bytes *new = &e->events.file;
    struct stat there;
    void *bytes = NULL;
    size_t size;
    *write = true;
    if (stat(e->path, &there) != 0 && errno == ENOENT)
        return STATUS_OK;
    enum status status = file_read(e->path, FILE_BYTES_MAX, &bytes, &size, e->m);
    if (status != STATUS_OK)
        return status;
    bool same_trial = size >= e->first && memcmp(bytes, new->at, e->first) == 0;
    *write = size != new->used || memcmp(bytes, new->at, size) != 0;
    free(bytes);
    if (same_trial)
        return STATUS_OK;
    return status_fail(e->m, STATUS_BAD_INPUT,
                       "%s is not from an export of this sweep; choose another folder", e->path);
}

static enum status write_events(struct export *e)
{
    bool write;
    struct iovec part = {.iov_base = e->events.file.at, .iov_len = e->events.file.used};
    free(e->path);
    if (asprintf(&e->path, "%s/%s/events.out.tfevents.headcount", e->folder, e->name) < 0) {
        e->path = NULL;
        return status_no_memory(e->m, "the name of a file of events");
    }
    enum status status = file_make_folders_above(e->path, e->m);
    if (status == STATUS_OK) {
        file_remove_unfinished(e->path); /* of an export that was killed */
        status = compare(e, &write);
    }
    if (status == STATUS_OK && write)
        status = file_write(e->path, &part, 1, e->m);
    if (status != STATUS_OK)
        return status;
    e->runs->written += write;
    e->runs->runs++;
    return STATUS_OK;
}

enum status export_tensorboard(struct store *s, int64_t sweep_id, const char *folder,
                               struct export_runs *r, struct message *m)
{
    *r = (struct export_runs){0};
    enum status status = store_snapshot(s, m);
    if (status != STATUS_OK)
        return status;
    struct export e = {.trials = rows_open(s, m, TRIALS, VALUES(INTEGER(sweep_id))),
                       .options = rows_open(s, m, OPTIONS, NO_VALUES),
                       .curve = rows_open(s, m, CURVE, NO_VALUES),
                       .folder = folder,
                       .runs = r,
                       .m = m};
    while (status == STATUS_OK && rows_next(&e.trials)) {
        status = put_events(&e);
        if (status == STATUS_OK)
            status = write_events(&e);
        if (status == STATUS_OK && stop_requests() > 0)
            status =
                status_fail(m, STATUS_INTERRUPTED, "stopped after %s; the same command goes on",
                            text_counted(r->runs, "run").text);
    }
    if (status == STATUS_OK)
        status = e.trials.status;
    event_file_free(&e.events);
    free(e.path);
    rows_close(&e.trials);
    rows_close(&e.options);
    rows_close(&e.curve);
    store_snapshot_end(s);
    return status;
}
