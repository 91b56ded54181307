#include "sweep/serve/metrics.h"

#include <string.h>

#include "engine/base/text.h"
#include "engine/base/utf8.h"

static const struct {
    const char *name, *help;
} families[] = {
    {"headcount_trials",
     "Trials of the plan by state, as headcount status counts them; elsewhere: of other shards."},
    {"headcount_trials_planned", "Trials that are needed here."},
    {"headcount_trials_half_done", "Queued trials that go on from a checkpoint."},
    {"headcount_trial_train_seconds", "Mean time of training of the completed trials."},
};

/* The numbers of view `progress`. */
static const struct {
    const char *name, *labels;
} numbers[] = {
    {"headcount_trials", ",state=\"queued\""},    {"headcount_trials", ",state=\"running\""},
    {"headcount_trials", ",state=\"completed\""}, {"headcount_trials", ",state=\"diverged\""},
    {"headcount_trials", ",state=\"failed\""},    {"headcount_trials", ",state=\"not_needed\""},
    {"headcount_trials", ",state=\"elsewhere\""}, {"headcount_trials_planned", ""},
    {"headcount_trials_half_done", ""},           {"headcount_trial_train_seconds", ""}};

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

void metrics_of_file(struct scope *x, FILE *out)
{
    struct rows *r =
        scope_rows(x,
                   "SELECT sweep, queued, running, completed, diverged, failed, not_needed,"
                   "       elsewhere, planned, half_done, mean_train_s FROM progress"
                   " WHERE sweep_id IN"
                   "       (SELECT sweep_id FROM sweep ORDER BY last_run DESC LIMIT ?1)",
                   VALUES(INTEGER(METRICS_SWEEPS_MAX)));
    while (scope_next(x, r))
        for (int i = 0; i < (int)(sizeof numbers / sizeof numbers[0]); i++) {
            if (rows_null(r, 1 + i))
                continue;
            fprintf(out, "%s{sweep=\"", numbers[i].name);
            metrics_label(out, rows_given(r, 0));
            fprintf(out, "\"%s} ", numbers[i].labels);
            text_json_real(out, rows_real(r, 1 + i));
            putc('\n', out);
        }
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

/* The lines of a family, in which every sample has labels already. */
static void put_lines(const char *family, const struct metrics_part *part, int n, int i, FILE *out)
{
    size_t name = strlen(family);
    for (const char *at = part[i].samples; at && *at;) {
        size_t size = strcspn(at, "\n") + 1;
        if (strncmp(at, family, name) == 0 && at[name] == '{') {
            fwrite(at, 1, name + 1, out);
            if (n > 1) {
                put_file_label(part, n, i, out);
                putc(',', out);
            }
            fwrite(at + name + 1, 1, size - name - 1, out);
        }
        at += size;
    }
}

void metrics_join(const struct metrics_part *part, int n, FILE *out)
{
    for (size_t k = 0; k < sizeof families / sizeof families[0]; k++) {
        fprintf(out, "# HELP %s %s\n# TYPE %s gauge\n", families[k].name, families[k].help,
                families[k].name);
        for (int i = 0; i < n; i++)
            put_lines(families[k].name, part, n, i, out);
    }
}
