#include "sweep/cli/command_plan.h"

#include <string.h>

#include "engine/base/text.h"
#include "sweep/store/data_file.h"

/* Whether the sweep names a file to learn from. */
static bool has_file(const struct config *c)
{
    for (int i = 0; i < c->axes; i++)
        if (strcmp(c->axis[i].path, "task.file") == 0)
            return true;
    return false;
}

enum status command_plan_new(const struct config *c, const char *db, struct plan **p,
                             struct message *m)
{
    struct survey *known = NULL;
    struct store *s = NULL;
    int count = 0;
    if (has_file(c) && store_open(db, STORE_READ, &s, NULL) == STATUS_OK) {
        store_surveys(s, &known, &count, NULL);
        store_close(s, NULL);
    }
    enum status status = plan_new(c, known, count, p, m);
    store_surveys_free(known, count);
    return status;
}

void command_plan_notes(const char *name, const struct plan *p)
{
    struct message m;
    for (int i = 0; plan_idle_exclude(p, &i, &m);)
        text_print(stderr, "headcount %s: note: %s\n", name, m.text);
}
