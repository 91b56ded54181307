/* The texts of agent_wire.h: what the two tell each other when they meet. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sweep/hosts/agent_wire.h"
#include "sweep/plan/machine.h"
#include "sweep/worker/build_info.h"
#include "sweep/worker/fields.h"
#include "sweep/worker/memory_budget.h"

static const struct field hello_field[] = {
    FIELD(struct agent_hello, protocol, FIELD_INTEGER),
    FIELD(struct agent_hello, order, FIELD_TEXT),
    FIELD(struct agent_hello, host, FIELD_TEXT),
    FIELD(struct agent_hello, pid, FIELD_INTEGER),
    FIELD(struct agent_hello, cores, FIELD_INTEGER),
    FIELD(struct agent_hello, memory, FIELD_REAL),
    FIELD(struct agent_hello, sources, FIELD_TEXT),
    FIELD(struct agent_hello, build.version, FIELD_TEXT),
    FIELD(struct agent_hello, build.commit, FIELD_TEXT),
    FIELD(struct agent_hello, build.compiler, FIELD_TEXT),
    FIELD(struct agent_hello, build.flags, FIELD_TEXT),
    FIELD(struct agent_hello, build.openblas, FIELD_TEXT),
    FIELD(struct agent_hello, build.core_type, FIELD_TEXT),
    FIELD(struct agent_hello, build.kernels, FIELD_TEXT),
    FIELD(struct agent_hello, build.cpu, FIELD_TEXT),
};
static const struct fields hello_fields = FIELDS("hello", struct agent_hello, hello_field);

static const struct field open_field[] = {
    FIELD(struct agent_open, folder, FIELD_TEXT),
    FIELD(struct agent_open, proof, FIELD_TEXT),
    FIELD(struct agent_open, beat_s, FIELD_REAL),
    FIELD(struct agent_open, patience_s, FIELD_REAL),
};
static const struct fields open_fields = FIELDS("greeting", struct agent_open, open_field);

int agent_hello_format(const struct agent_hello *h, char *text, size_t size)
{
    return fields_format(&hello_fields, h, text, size);
}

enum status agent_hello_parse(const char *text, struct agent_hello *h, struct message *m)
{
    int64_t protocol;
    if (sscanf(text, "protocol=%" SCNd64 "\n", &protocol) == 1 && protocol != AGENT_PROTOCOL)
        return status_fail(m, STATUS_BAD_INPUT,
                           "it runs another program, which speaks protocol %" PRId64
                           " where ours speaks %d; build it from the same tree",
                           protocol, AGENT_PROTOCOL);
    enum status s = fields_parse(&hello_fields, text, h, m);
    if (s == STATUS_OK &&
        (h->cores < 1 || h->cores > INT32_MAX || isnan(h->memory) || h->memory < 0))
        s = status_fail(m, STATUS_BAD_INPUT, "invalid hello: a number is out of range");
    return s;
}

int agent_open_format(const struct agent_open *o, char *text, size_t size)
{
    return fields_format(&open_fields, o, text, size);
}

enum status agent_open_parse(const char *text, struct agent_open *o, struct message *m)
{
    enum status s = fields_parse(&open_fields, text, o, m);
    if (s == STATUS_OK && !(o->beat_s > 0 && o->patience_s > o->beat_s))
        s = status_fail(m, STATUS_BAD_INPUT, "invalid greeting: a number is out of range");
    return s;
}

enum status agent_hello_here(struct agent_hello *h, struct message *m)
{
    *h = (struct agent_hello){.protocol = AGENT_PROTOCOL,
                              .pid = getpid(),
                              .cores = machine_cores(),
                              .memory = memory_budget_available()};
    const uint16_t one = 1;
    snprintf(h->order, sizeof h->order, "%s", *(const char *)&one ? "little" : "big");
    gethostname(h->host, sizeof h->host - 1);
    snprintf(h->sources, sizeof h->sources, "%s", build_sources());
    return build_info(&h->build, m);
}
