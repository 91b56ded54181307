#include "sweep/ask/digits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/sha256.h"
#include "sweep/ask/sheet.h"

/* More than any net has: no other option of the model is made equal to it, or divided by it. */
enum { NO_HEADS = 1 << 20 };

static void add_text(struct sha256 *hash, const char *text)
{
    sha256_update(hash, text, strlen(text) + 1);
}

/* The axis that comes after `before` by its path, NULL for the first; NULL: there is none. */
static const struct axis *next_axis(const struct config *c, const struct axis *before)
{
    const struct axis *found = NULL;
    for (int i = 0; i < c->axes; i++) {
        const struct axis *axis = &c->axis[i];
        if ((!before || strcmp(axis->path, before->path) > 0) &&
            (!found || strcmp(axis->path, found->path) < 0))
            found = axis;
    }
    return found;
}

static enum status set_value(struct point *p, const char *path, const struct config_value *v,
                             struct sha256 *several, struct message *m)
{
    struct point_section section;
    char json[OPTION_TEXT_MAX];
    const struct option_entry *o = point_option(p, path, &section);
    enum status s = STATUS_OK;
    if (!o || o->local) /* task.name, and where the file lies */
        return STATUS_OK;
    memset((char *)section.values + o->offset, 0, option_used(o, section.values));
    for (int i = 0; i < v->scalars && s == STATUS_OK; i++)
        s = option_parse(o, section.name, v->scalar[i], v->quoted[i], section.values, m);
    if (s == STATUS_OK && several && option_format(o, section.values, json, sizeof json) >= 0)
        add_text(several, json);
    return s;
}

/* Into the point; of an axis that has several values, which one point cannot hold, they are hashed.
 */
static enum status set_axis(struct point *p, const struct axis *axis, struct sha256 *hash,
                            struct message *m)
{
    struct sha256 *several = axis->values > 1 ? hash : NULL;
    enum status s = STATUS_OK;
    if (several)
        add_text(hash, axis->path);
    for (int i = 0; i < axis->values && s == STATUS_OK; i++)
        s = set_value(p, axis->path, &axis->value[i], several, m);
    return s;
}

/* What the file itself tells is in the look's point, and what was guessed. */
static enum status hash_trials(const struct config *c, const struct look *l, struct sha256 *hash,
                               struct message *m)
{
    struct point p = l->point;
    char json[POINT_JSON_MAX];
    enum status s = STATUS_OK;
    const struct axis *axis = NULL;
    while (s == STATUS_OK && (axis = next_axis(c, axis)) != NULL)
        if (strcmp(axis->path, "model.heads") != 0 && !config_is_tuned(c, axis->path))
            s = set_axis(&p, axis, hash, m);
    p.model.heads = NO_HEADS;
    point_json(&p, json);
    add_text(hash, json);
    add_text(hash, metric_name(c->metric));
    return s;
}

enum status digits_of(const struct design *d, const struct look *l, const char *path,
                      const char *const *sets, int count, char digits[DIGITS_SIZE],
                      struct message *m)
{
    struct config *c = NULL;
    struct sha256 hash;
    char hex[65];
    sha256_init(&hash);
    enum status s = sheet_parse(d, l, path, sets, count, &c, m);
    if (s == STATUS_OK)
        s = hash_trials(c, l, &hash, m);
    sha256_final(&hash, hex);
    snprintf(digits, DIGITS_SIZE, "%.12s", hex);
    config_free(c);
    return s;
}
