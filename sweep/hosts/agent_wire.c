#include "sweep/hosts/agent_wire.h"

#include <math.h>
#include <string.h>

#include "sweep/worker/fields.h"

static bool frame_valid(const struct wire_frame *f)
{
    if (f->slot < 0 || f->slot >= HOST_SLOTS_MAX)
        return false;
    switch (f->type) {
    case AGENT_OPEN:
    case AGENT_HELLO:
    case AGENT_ENDED:
        return f->size < AGENT_TEXT_MAX;
    case AGENT_READY:
    case AGENT_REFUSED:
        return f->size < MESSAGE_SIZE;
    case AGENT_STOP:
    case AGENT_KILL:
    case AGENT_BYE:
    case AGENT_LEAVING:
    case AGENT_BEAT:
    case AGENT_RUNS:
        return f->size == 0;
    case AGENT_SPAWNED:
        return f->size > 0 && f->size < sizeof "-9223372036854775808";
    default:
        return wire_valid(f) || wire_order_valid(f);
    }
}

/* Takes what stands before the magic, and the magic; returns how many bytes that were. Finds out
 * where none will come. */
static size_t skip_noise(struct agent_in *i, const char *bytes, size_t size, enum status *s,
                         struct message *m)
{
    static const char magic[] = AGENT_MAGIC;
    enum { WORD = sizeof "\x89headcount agent " - 1 }; /* what a terminal leaves of it */
    size_t at = 0;
    while (at < size && i->matched < sizeof magic - 1) {
        bool same = bytes[at] == magic[i->matched];
        if (!same && i->matched >= WORD) {
            *s = status_fail(m, STATUS_BAD_INPUT,
                             "speaks another protocol, or its launcher changes what passes through "
                             "it, as a terminal does; leave out ssh -t and srun --pty");
            return at;
        }
        if (!same) { /* the magic's first byte is not in the rest of it */
            i->skipped += i->matched;
            i->matched = 0;
            same = bytes[at] == magic[0];
        }
        i->matched += same;
        i->skipped += !same;
        at++;
    }
    i->skips = i->matched < sizeof magic - 1;
    if (i->skipped > AGENT_NOISE)
        *s = status_fail(m, STATUS_BAD_INPUT,
                         "the program started there is not a headcount agent: it wrote %zu bytes "
                         "of other output; check --launch and --agent",
                         i->skipped);
    return at;
}

enum status agent_feed(struct agent_in *i, const void *bytes, size_t size, struct message *m)
{
    enum status s = STATUS_OK;
    size_t skipped = i->skips ? skip_noise(i, bytes, size, &s, m) : 0;
    if (s != STATUS_OK)
        return s;
    return wire_feed(&i->frames, (const char *)bytes + skipped, size - skipped, frame_valid, m);
}

static const struct field end_field[] = {
    FIELD(struct worker_end, exit_code, FIELD_UNSIGNED),
    FIELD(struct worker_end, signal, FIELD_UNSIGNED),
    FIELD(struct worker_end, killed_for, FIELD_UNSIGNED),
    FIELD(struct worker_end, unstarted, FIELD_FLAG),
    FIELD(struct worker_end, max_rss_kib, FIELD_INTEGER),
    FIELD(struct worker_end, cpu_s, FIELD_REAL),
    FIELD(struct worker_end, killed, FIELD_TEXT),
    FIELD(struct worker_end, error, FIELD_TEXT),
};
static const struct fields end_fields = FIELDS("exit report", struct worker_end, end_field);

int agent_ended_format(const struct worker_end *e, char *text, size_t size)
{
    return fields_format(&end_fields, e, text, size);
}

enum status agent_ended_parse(const char *text, struct worker_end *e, struct message *m)
{
    enum status s = fields_parse(&end_fields, text, e, m);
    if (s == STATUS_OK && (e->killed_for > WATCH_MEMORY || e->max_rss_kib < 0 ||
                           !(e->cpu_s >= 0 && isfinite(e->cpu_s))))
        s = status_fail(m, STATUS_BAD_INPUT, "invalid exit report: a number is out of range");
    return s;
}
