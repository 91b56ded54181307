#include "sweep/run/strikes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/array.h"

/* ---- causes and effects ---- */

static const struct fault_rule rules[FAULTS] = {
#define FAULT(name, others, alone, machine_others, machine_alone, status, why, stops)              \
    {{TRIAL_##others, TRIAL_##alone},                                                              \
     {MACHINE_##machine_others, MACHINE_##machine_alone},                                          \
     STATUS_##status,                                                                              \
     why,                                                                                          \
     stops},
#include "sweep/run/faults.def"
};
_Static_assert(STRIKES_MACHINE == 3, "as their words say");

const struct fault_rule *fault_rule(enum fault fault)
{
    return &rules[fault];
}

void fault_words(const char *words, const char *said, char text[MESSAGE_SIZE])
{
    static const char place[] = "{said}";
    if (!words)
        words = place;
    const char *at = strstr(words, place);
    int before = (int)(at ? (size_t)(at - words) : strlen(words));
    snprintf(text, MESSAGE_SIZE, "%.*s%.1500s%s", before, words, at ? said : "",
             at ? at + sizeof place - 1 : "");
}

/* ---- strikes of trials ---- */

static struct trial_strikes *find(const struct strikes *s, int64_t trial)
{
    for (int i = 0; i < s->count; i++)
        if (s->list[i].trial == trial)
            return &s->list[i];
    return NULL;
}

const struct trial_strikes *strikes_add(struct strikes *s, int64_t trial, int64_t step, int machine)
{
    struct trial_strikes *k = find(s, trial);
    if (!k) {
        struct trial_strikes *more = array_grow(s->list, (size_t)s->count, sizeof *more);
        if (!more)
            return NULL;
        s->list = more;
        k = &s->list[s->count++];
        k->step = -1;
    }
    if (step > k->step)
        *k = (struct trial_strikes){.trial = trial, .step = step, .machine = machine};
    k->count++;
    k->on_machines = k->on_machines || machine != k->machine;
    return k;
}

int strikes_of(const struct strikes *s, int64_t trial, int64_t step)
{
    const struct trial_strikes *k = find(s, trial);
    return k && step <= k->step ? k->count : 0;
}

void strikes_forget(struct strikes *s, int64_t trial)
{
    struct trial_strikes *k = find(s, trial);
    if (k)
        *k = s->list[--s->count];
}

void strikes_free(struct strikes *s)
{
    free(s->list);
    *s = (struct strikes){0};
}
