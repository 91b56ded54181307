#include "sweep/serve/metrics.h"

#include <string.h>

#include "engine/base/text.h"
#include "engine/base/utf8.h"
#include "sweep/db/rows.h"
#include "sweep/serve/serve_parts.h"
#include "sweep/trials/lost.h"
#include "sweep/worker/build_info.h"

/* ---- the format ---- */

void metrics_label(FILE *out, const char *text)
{
    const unsigned char *at = (const unsigned char *)text, *end = at + strlen(text);
    while (at < end) {
        int size = utf8_decode(at, end, NULL);
        if (*at == '\n')
            fputs("\\n", out);
        else if (*at == '"' || *at == '\\')
            fprintf(out, "\\%c", *at);
        else if (size == 0)
            fputs("\xef\xbf\xbd", out);
        else
            fwrite(at, 1, (size_t)size, out);
        at += size > 0 ? size : 1;
    }
}

static void put_sample(FILE *out, const char *name, const char *sweep, const char *label,
                       const char *value, double number)
{
    fprintf(out, "%s{sweep=\"", name);
    metrics_label(out, sweep);
    if (label) {
        fprintf(out, "\",%s=\"", label);
        metrics_label(out, value);
    }
    fputs("\"} ", out);
    text_json_real(out, number);
    putc('\n', out);
}

struct family {
    const char *name, *type, *help;
};

static void put_family(FILE *out, const struct family *f)
{
    fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", f->name, f->help, f->name, f->type);
}

/* ---- what results files say ---- */

#define TRIALS   "headcount_trials"
#define TRAINING "headcount_training_seconds_total"
#define ATTEMPTS "headcount_attempts_total"
#define LOST     "headcount_attempts_lost_total"
#define WORKERS  "headcount_workers_running"

static const struct family of_files[] = {
    {TRIALS, "gauge",
     "Trials of the plan by state, as headcount status counts them; elsewhere: of other shards."},
    {TRAINING, "counter",
     "Time that the trials of the plan have trained, once they have a result."},
    {ATTEMPTS, "counter",
     "Attempts at trials that have ended, by outcome; requeued: stopped, killed or lost."},
    {LOST, "counter", "Attempts that were lost on a machine, with it or for what it lacked."},
    {WORKERS, "gauge",
     "Workers at trials by machine. While no run is active: those that the last one left behind."},
};

/* The sweeps that are told of. */
#define LATEST "(SELECT sweep_id FROM sweep ORDER BY last_run DESC LIMIT ?1)"

static enum status put_trials(struct store *s, FILE *out, struct message *m)
{
    static const char *const states[] = {"queued", "running",    "completed", "diverged",
                                         "failed", "not_needed", "elsewhere"};
    enum { SWEEP, TRAIN_S, FIRST_STATE };
    struct rows r = rows_open(s, m,
                              "SELECT sweep, (SELECT total(train_s) FROM trial AS t"
                              "                WHERE t.sweep_id = p.sweep_id AND in_plan = 1),"
                              " queued, running, completed, diverged, failed, not_needed, elsewhere"
                              " FROM progress AS p WHERE sweep_id IN " LATEST,
                              VALUES(INTEGER(METRICS_SWEEPS_MAX)));
    while (rows_next(&r)) {
        const char *sweep = rows_given(&r, SWEEP);
        for (int i = 0; i < (int)(sizeof states / sizeof states[0]); i++)
            put_sample(out, TRIALS, sweep, "state", states[i],
                       (double)rows_integer(&r, FIRST_STATE + i));
        put_sample(out, TRAINING, sweep, NULL, NULL, rows_real(&r, TRAIN_S));
    }
    return rows_close(&r);
}

static enum status put_attempts(struct store *s, FILE *out, struct message *m)
{
    struct rows r =
        rows_open(s, m,
                  "SELECT name, count(*) FILTER (WHERE outcome = 'completed'),"
                  "       count(*) FILTER (WHERE outcome = 'diverged'),"
                  "       count(*) FILTER (WHERE outcome = 'failed'),"
                  "       count(*) FILTER (WHERE outcome = 'requeued')"
                  "  FROM sweep LEFT JOIN trial USING (sweep_id) LEFT JOIN attempt USING (trial_id)"
                  " WHERE sweep_id IN " LATEST " GROUP BY sweep_id",
                  VALUES(INTEGER(METRICS_SWEEPS_MAX)));
    while (rows_next(&r))
        for (int i = 0; i < ATTEMPT_OUTCOMES; i++)
            put_sample(out, ATTEMPTS, rows_given(&r, 0), "outcome",
                       attempt_outcome_name((enum attempt_outcome)i),
                       (double)rows_integer(&r, 1 + i));
    return rows_close(&r);
}

/* A query for sweep, host and number: no more than METRICS_HOSTS_MAX rows. */
static enum status put_hosts(struct store *s, const char *name, const char *sql, FILE *out,
                             struct message *m)
{
    struct rows r = rows_open(s, m, sql, VALUES(INTEGER(METRICS_HOSTS_MAX)));
    while (rows_next(&r))
        put_sample(out, name, rows_given(&r, 0), "host", rows_given(&r, 1),
                   (double)rows_integer(&r, 2));
    return rows_close(&r);
}

enum status metrics_of_file(struct store *s, FILE *out, struct message *m)
{
    static const char lost[] =
        "SELECT name, host, count(*) AS n FROM attempt AS a"
        " CROSS JOIN trial AS t USING (trial_id) JOIN sweep USING (sweep_id)"
        " WHERE " LOST_ATTEMPT " GROUP BY sweep_id, host ORDER BY n DESC, name, host LIMIT ?1";
    static const char workers[] = "SELECT name, host, count(*) AS n FROM trial"
                                  " JOIN attempt USING (trial_id, attempt)"
                                  " JOIN sweep USING (sweep_id)"
                                  " WHERE state = 'running' AND in_plan = 1 AND host IS NOT NULL"
                                  " GROUP BY sweep_id, host ORDER BY n DESC, name, host LIMIT ?1";
    enum status status = put_trials(s, out, m);
    if (status == STATUS_OK)
        status = put_attempts(s, out, m);
    if (status == STATUS_OK)
        status = put_hosts(s, LOST, lost, out, m);
    if (status == STATUS_OK)
        status = put_hosts(s, WORKERS, workers, out, m);
    return status == STATUS_OK ? text_check(out, m) : status;
}

/* ---- of several files ---- */

static bool is_alone(const struct metrics_part *part, int n, int i)
{
    for (int k = 0; k < n; k++)
        if (k != i && strcmp(part[k].name, part[i].name) == 0)
            return false;
    return true;
}

/* No file's last name has a slash in it, so that no two files have the same label. */
static void put_file_label(const struct metrics_part *part, int n, int i, FILE *out)
{
    fputs("file=\"", out);
    if (!is_alone(part, n, i))
        fprintf(out, "%d/", i);
    metrics_label(out, part[i].name);
    putc('"', out);
}

static void put_of_file(const char *name, const struct metrics_part *part, int n, int i,
                        const char *number, FILE *out)
{
    fputs(name, out);
    if (n > 1) {
        putc('{', out);
        put_file_label(part, n, i, out);
        putc('}', out);
    }
    fprintf(out, " %s\n", number);
}

/* The lines of a family, in which every sample has labels already. */
static bool put_lines(const struct family *f, const struct metrics_part *part, int n, int i,
                      bool any, FILE *out)
{
    size_t name = strlen(f->name);
    for (const char *at = part[i].samples; at && *at;) {
        size_t size = strcspn(at, "\n") + 1;
        if (strncmp(at, f->name, name) == 0 && at[name] == '{') {
            if (!any)
                put_family(out, f);
            any = true;
            fwrite(at, 1, name + 1, out);
            if (n > 1) {
                put_file_label(part, n, i, out);
                putc(',', out);
            }
            fwrite(at + name + 1, 1, size - name - 1, out);
        }
        at += size;
    }
    return any;
}

void metrics_join(const struct metrics_part *part, int n, FILE *out)
{
    static const struct family readable = {
        "headcount_results_file_readable", "gauge",
        "1 where the results file could be read; 0: its sweeps are missing here."};
    put_family(out, &readable);
    for (int i = 0; i < n; i++)
        put_of_file(readable.name, part, n, i, part[i].readable ? "1" : "0", out);
    for (size_t k = 0; k < sizeof of_files / sizeof of_files[0]; k++) {
        bool any = false;
        for (int i = 0; i < n; i++)
            any = put_lines(&of_files[k], part, n, i, any, out);
    }
}

/* ---- what the server knows ---- */

static void put_build(FILE *out)
{
    static const struct family build = {"headcount_build_info", "gauge",
                                        "Always 1; the labels say which program answers."};
    const char *version, *commit;
    build_version(&version, &commit);
    put_family(out, &build);
    fprintf(out, "%s{version=\"", build.name);
    metrics_label(out, version);
    fputs("\",commit=\"", out);
    metrics_label(out, commit);
    fputs("\"} 1\n", out);
}

/* In figures; "" where the file is not there. */
static void write_active(const struct watched *w, char text[32])
{
    snprintf(text, 32, "%d", w->active);
}

static void write_size(const struct watched *w, char text[32])
{
    snprintf(text, 32, w->sign.there ? "%lld" : "",
             (long long)w->sign.part[0].size + (long long)w->sign.part[1].size);
}

static void write_commit(const struct watched *w, char text[32])
{
    int64_t file = w->sign.part[0].mtime_ns, log = w->sign.part[1].mtime_ns;
    int64_t ms = (file > log ? file : log) / 1000000;
    snprintf(text, 32, w->sign.there ? "%lld.%03lld" : "", (long long)(ms / 1000),
             (long long)(ms % 1000));
}

static void put_files(const struct server *s, FILE *out)
{
    static const struct {
        struct family family;
        void (*write)(const struct watched *w, char text[32]);
    } kinds[] = {
        {{"headcount_run_active", "gauge",
          "1 while a run, or another command that writes, holds the results file."},
         write_active},
        {{"headcount_results_file_size_bytes", "gauge", "Size of the results file with its log."},
         write_size},
        {{"headcount_last_commit_timestamp_seconds", "gauge",
          "When the results file or its log was last written to."},
         write_commit},
    };
    struct metrics_part part[SERVE_FILES_MAX];
    for (int i = 0; i < s->rules.files; i++)
        part[i].name = s->file[i].name;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        put_family(out, &kinds[k].family);
        for (int i = 0; i < s->rules.files; i++) {
            char number[32];
            kinds[k].write(&s->file[i], number);
            if (number[0])
                put_of_file(kinds[k].family.name, part, s->rules.files, i, number, out);
        }
    }
}

static void put_requests(const struct server *s, FILE *out)
{
    static const struct family requests = {
        "headcount_http_requests_total", "counter",
        "Requests by the status code of their answer: 4xx were refused."};
    static const struct family streams = {"headcount_http_event_streams", "gauge",
                                          "Browsers with an open stream of news."};
    static const int codes[] = {200, 303, 304, 400, 403, 404, 405, 414, 431, 500, 503};
    int n = 0;
    put_family(out, &requests);
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        fprintf(out, "%s{code=\"%d\"} %lld\n", requests.name, codes[i],
                (long long)s->answered[codes[i]]);
    for (const struct stream *e = s->streams; e; e = e->next)
        n++;
    put_family(out, &streams);
    fprintf(out, "%s %d\n", streams.name, n);
}

void metrics_of_server(const struct server *s, FILE *out)
{
    put_build(out);
    put_files(s, out);
    put_requests(s, out);
}
