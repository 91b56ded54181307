/* An option of a point as a person gives it on the command line. */
#include <stdio.h>
#include <string.h>

#include "engine/base/scope.h"
#include "engine/base/text.h"
#include "sweep/plan/config.h"
#include "sweep/plan/point.h"
#include "sweep/plan/tree.h"

static enum status refuse_path(const struct point *p, const struct point_section *section,
                               const char *name, struct message *m)
{
    const char *names[POINT_OPTIONS_MAX];
    char shown[64];
    bool of_task = section->values == p->task_options;
    const char *list = of_task ? p->task->name : section->name;
    int n = 0;
    for (const struct option_entry *o = section->options; o->name; o++)
        if (!o->derived)
            names[n++] = o->name;
    names[n] = NULL;
    const char *near = nearest_name(name, names);
    return status_fail(m, STATUS_BAD_INPUT, "%s%s has no option %s%s%s%s", of_task ? "task " : "",
                       list, text_shown(name, shown, sizeof shown),
                       near ? "; did you mean " : "; headcount tasks ", near ? near : list,
                       near ? "?" : " lists them");
}

static enum status set_value(const struct option_entry *o, const struct point_section *section,
                             const struct tree *value, struct message *m)
{
    enum status s = STATUS_OK;
    if (o->type != OPTION_INT_LIST && value->kind == TREE_SCALAR)
        return option_parse(o, section->name, value->text, value->quoted, section->values, m);
    if (o->type != OPTION_INT_LIST || value->kind != TREE_LIST)
        return status_fail(
            m, STATUS_BAD_INPUT, "%s.%s is %s; %s", section->name, o->name, tree_kind_name(value),
            o->type == OPTION_INT_LIST ? "write a list, as in [1,2]" : "give a single value");
    ((struct int_list *)(void *)((char *)section->values + o->offset))->n = 0;
    for (const struct tree *item = value->first; item && s == STATUS_OK; item = item->next)
        s = option_parse(o, section->name, item->text ? item->text : "", item->quoted,
                         section->values, m);
    return s;
}

enum status point_give(struct point *p, const char *given, struct message *m)
{
    static const char *const sections[] = {"model.", "task.", "train."};
    const char *equals = strchr(given, '='), *in = "task.";
    char path[CONFIG_PATH_SIZE], shown[64];
    struct point_section section;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (strncmp(given, sections[i], strlen(sections[i])) == 0)
            in = "";
    if (!equals || equals == given ||
        snprintf(path, sizeof path, "%s%.*s", in, (int)(equals - given), given) >= (int)sizeof path)
        return status_fail(m, STATUS_BAD_INPUT, "--set is %s; write it as KEY=VALUE",
                           text_shown(given, shown, sizeof shown));
    const struct option_entry *o = point_option(p, path, &section);
    if (!o)
        return refuse_path(p, &section, strchr(path, '.') + 1, m);
    enum status s = option_settable(o, section.name, m);
    if (s != STATUS_OK)
        return s;
    struct scope *x = scope_new(NULL, "an option", m);
    if (scope_enter(x)) {
        const char *name = scope_print(x, "--set %s", path);
        const struct tree *value = tree_parse(x, equals + 1, strlen(equals + 1), name, false);
        scope_check(x, set_value(o, &section, value, m));
    }
    return scope_end(x);
}
