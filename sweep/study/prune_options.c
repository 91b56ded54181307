/* The options of `prune`: from the command line, as canonical JSON, and back. */
#include "sweep/study/prune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/json.h"
#include "engine/base/number.h"

static int by_falling_count(const void *left, const void *right)
{
    long a = *(const long *)left, b = *(const long *)right;
    return (a < b) - (a > b);
}

enum status prune_keep_parse(const char *text, struct prune_options *o, struct message *m)
{
    o->keeps = 0;
    for (const char *at = text;; at++) {
        char item[24], shown[64];
        size_t length = strcspn(at, ",");
        double value = 0;
        bool integral = false;
        snprintf(item, sizeof item, "%.*s", (int)(length < sizeof item ? length : sizeof item - 1),
                 at);
        if (!number_parse(item, &value, &integral) || !integral || value < 1 || value > 1e9)
            return status_fail(
                m, STATUS_BAD_INPUT,
                "'%s' is not a number of heads to keep; give 1 or more, as in --keep 8,4,2,1",
                text_shown(item, shown, sizeof shown));
        for (int i = 0; i < o->keeps; i++)
            if (o->keep[i] == (long)value)
                return status_fail(m, STATUS_BAD_INPUT, "--keep names %s twice", item);
        if (o->keeps == PRUNE_KEEP_MAX)
            return status_fail(m, STATUS_BAD_INPUT,
                               "--keep takes at most %d head counts; without it, all are kept in "
                               "turn",
                               PRUNE_KEEP_MAX);
        o->keep[o->keeps++] = (long)value;
        at += length;
        if (!*at)
            break;
    }
    qsort(o->keep, (size_t)o->keeps, sizeof *o->keep, by_falling_count);
    return STATUS_OK;
}

void prune_options_json(const struct prune_options *o, struct text_buffer *text)
{
    struct json_writer w = {.text = text};
    json_begin_object(&w, NULL);
    json_add_text(&w, "by", prune_by_name(o->by));
    if (o->finetune)
        json_add_integer(&w, "finetune", o->finetune);
    if (o->keeps) {
        json_begin_list(&w, "keep");
        for (int i = 0; i < o->keeps; i++)
            json_add_integer(&w, NULL, o->keep[i]);
        json_end_list(&w);
    } else {
        json_add_null(&w, "keep");
    }
    if (o->finetune) {
        json_add_real(&w, "lr", o->lr);
        json_add_text(&w, "metric", metric_name(o->metric));
    }
    json_end_object(&w);
}

/* The word or number at a key of an object that was checked; false where there is none. */
static bool find(const struct json *object, const char *key, const char **text)
{
    struct json j;
    bool quoted;
    return json_member(object, key, &j) && json_scalar(&j, text, &quoted);
}

static bool read_keep(const struct json *object, struct prune_options *o)
{
    struct json j;
    bool more = true;
    int64_t keep;
    if (!json_member(object, "keep", &j))
        return false;
    if (!json_take(&j, '['))
        return true; /* null: all */
    while (more) {
        if (o->keeps == PRUNE_KEEP_MAX || !json_integer(&j, &keep) || !json_more(&j, ']', &more))
            return false;
        o->keep[o->keeps++] = (long)keep;
    }
    return true;
}

static bool read_finetune(const struct json *object, struct prune_options *o)
{
    const char *text;
    double steps;
    bool integral;
    if (!find(object, "finetune", &text))
        return true; /* none */
    if (!number_parse(text, &steps, &integral) || !integral || !find(object, "lr", &text))
        return false;
    o->finetune = (long)steps;
    if (strcmp(text, "null") != 0 && !number_parse(text, &o->lr, &integral))
        return false;
    return find(object, "metric", &text) && metric_find(text, &o->metric);
}

enum status prune_options_parse(const char *json, struct prune_options *o, struct message *m)
{
    char scratch[1024];
    const char *by;
    const unsigned char *start = (const unsigned char *)json;
    struct json object = {.start = start,
                          .next = start,
                          .end = start + strlen(json),
                          .place = "options",
                          .text = scratch,
                          .m = m};
    struct json whole = object;
    *o = (struct prune_options){.lr = NAN};
    if (strlen(json) >= sizeof scratch || !json_skip(&whole) || !json_end(&whole) ||
        !find(&object, "by", &by) || !prune_by_find(by, &o->by) || !read_keep(&object, o) ||
        !read_finetune(&object, o))
        return status_fail(m, STATUS_INTERNAL, "these are no options of prune: %s", json);
    return STATUS_OK;
}
