/* What the files say that tasks learn from: derived options, the same for all points that give a
 * task the same options. */
#include <string.h>

#include "sweep/plan/plan_parts.h"

/* What the point's task options come to, or NULL while they have not been surveyed. */
static const struct plan_filled *find_filled(const struct plan *p, int task,
                                             const struct point *point)
{
    for (int i = 0; i < p->filled_count; i++) {
        const struct plan_filled *f = &p->filled[i];
        if (f->task == task &&
            memcmp(f->given, point->task_options, point->task->options_size) == 0)
            return f;
    }
    return NULL;
}

int plan_decode(const struct plan *p, uint64_t g, struct point *out)
{
    int task = plan_decode_given(p, g, out);
    const struct plan_filled *f = out->task->file ? find_filled(p, task, out) : NULL;
    if (f)
        memcpy(out->task_options, f->whole, out->task->options_size);
    return task;
}

static enum status add_filled(struct plan *p, int task, const struct point *given,
                              const struct point *whole, struct message *m)
{
    size_t size = given->task->options_size;
    if (p->filled_count == p->filled_capacity) {
        int capacity = p->filled_capacity ? 2 * p->filled_capacity : 4;
        struct plan_filled *more = plan_arena_alloc(p->arena, (size_t)capacity, sizeof *more);
        if (!more)
            return plan_no_memory(m);
        if (p->filled_count)
            memcpy(more, p->filled, (size_t)p->filled_count * sizeof *more);
        p->filled = more;
        p->filled_capacity = capacity;
    }
    unsigned char *copy = plan_arena_alloc(p->arena, 2, size);
    if (!copy)
        return plan_no_memory(m);
    memcpy(copy, given->task_options, size);
    memcpy(copy + size, whole->task_options, size);
    p->filled[p->filled_count++] = (struct plan_filled){task, copy, copy + size};
    return STATUS_OK;
}

static bool any_file(const struct plan *p)
{
    for (int t = 0; t < p->tasks; t++)
        if (p->task[t].task->file)
            return true;
    return false;
}

enum status plan_build_files(struct plan *p, uint64_t total, struct message *m)
{
    static const char *const file[] = {"task.file", NULL};
    struct point given, whole;
    if (!any_file(p))
        return STATUS_OK;
    for (uint64_t g = 0; g < total; g++) {
        int task = plan_decode_given(p, g, &given);
        if (!given.task->file || find_filled(p, task, &given))
            continue;
        whole = given;
        enum status s = survey_point(&p->surveys, &whole, m);
        if (s) {
            config_within(p->config, plan_place(p, g, file), m);
            return s;
        }
        if ((s = add_filled(p, task, &given, &whole, m)))
            return s;
    }
    return STATUS_OK;
}
