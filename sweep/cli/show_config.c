#include "sweep/cli/show_config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "sweep/plan/point.h"

enum { SECTION_TEXT = 2 * POINT_JSON_MAX };

/* "  train  steps 1500, batch 64, ..." for one section of the point. */
static void print_section(const char *name, const struct option_entry *list, const void *values,
                          int width)
{
    char text[SECTION_TEXT] = "";
    size_t used = 0;
    for (const struct option_entry *o = list; o->name; o++) {
        char value[OPTION_TEXT_MAX];
        int n = o->local ? -1 : option_format(o, values, value, sizeof value);
        if (n < 0 || used + (size_t)n + strlen(o->name) + 4 > sizeof text)
            continue;
        char *bare = value; /* words without their quotes */
        if (value[0] == '"') {
            value[n - 1] = '\0';
            bare++;
        }
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s=%s", used ? " " : "",
                                 o->name, bare);
    }
    printf("  %-6s ", name);
    text_paragraph(stdout, text, 0, 9, width - 9);
}

void show_config(const char *json, int width)
{
    struct point *p = calloc(1, sizeof *p);
    printf("Config:\n");
    if (p && point_parse(json, p, NULL) == STATUS_OK) {
        char task[64];
        snprintf(task, sizeof task, "%s", p->task->name);
        printf("  %-6s name=%s version=%d\n", "task", task, p->task->version);
        print_section("", p->task->options, p->task_options, width);
        print_section("model", encoder_options, &p->model, width);
        print_section("train", train_options, &p->train, width);
    } else { /* of another version of the task or of training */
        text_print(stdout, "  %s\n", json);
    }
    free(p);
}
