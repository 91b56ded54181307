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

static int whole(int length, size_t size, int lines, const char *text)
{
    if (length < 0 || (size_t)length >= size)
        return -1;
    for (const char *at = text; *at; at++)
        lines -= *at == '\n';
    return lines == 0 ? length : -1;
}

int agent_hello_format(const struct agent_hello *h, char *text, size_t size)
{
    int n = snprintf(text, size,
                     "protocol=%" PRId64 "\norder=%s\nhost=%s\npid=%" PRId64 "\ncores=%" PRId64
                     "\nmemory=%.17g\nsources=%s\nversion=%s\ncommit=%s\ncompiler=%s\nflags=%s\n"
                     "openblas=%s\ncore_type=%s\nkernels=%s\ncpu=%s\nthreads=%" PRId64 "\n",
                     h->protocol, h->order, h->host, h->pid, h->cores, h->memory, h->sources,
                     h->version, h->commit, h->compiler, h->flags, h->openblas, h->core_type,
                     h->kernels, h->cpu, h->threads);
    return whole(n, size, 16, text);
}

#define TEXT_FIELD(of, member)                                                                     \
    {                                                                                              \
        .key = #member, .text = (of)->member, .size = sizeof(of)->member                           \
    }

enum status agent_hello_parse(const char *text, struct agent_hello *h, struct message *m)
{
    memset(h, 0, sizeof *h);
    const struct field fields[] = {
        {.key = "protocol", .integer = &h->protocol},
        TEXT_FIELD(h, order),
        TEXT_FIELD(h, host),
        {.key = "pid", .integer = &h->pid},
        {.key = "cores", .integer = &h->cores},
        {.key = "memory", .real = &h->memory},
        TEXT_FIELD(h, sources),
        TEXT_FIELD(h, version),
        TEXT_FIELD(h, commit),
        TEXT_FIELD(h, compiler),
        TEXT_FIELD(h, flags),
        TEXT_FIELD(h, openblas),
        TEXT_FIELD(h, core_type),
        TEXT_FIELD(h, kernels),
        TEXT_FIELD(h, cpu),
        {.key = "threads", .integer = &h->threads},
    };
    int64_t protocol;
    if (sscanf(text, "protocol=%" SCNd64 "\n", &protocol) == 1 && protocol != AGENT_PROTOCOL)
        return status_fail(m, STATUS_BAD_INPUT,
                           "it runs another program, which speaks protocol %" PRId64
                           " where ours speaks %d; build it from the same tree",
                           protocol, AGENT_PROTOCOL);
    enum status s = fields_parse(text, fields, sizeof fields / sizeof *fields, "hello", m);
    if (s == STATUS_OK && (h->cores < 1 || h->cores > INT32_MAX || h->threads < 1 ||
                           h->threads > INT32_MAX || isnan(h->memory) || h->memory < 0))
        s = status_fail(m, STATUS_BAD_INPUT, "the hello has a number that cannot be");
    return s;
}

int agent_open_format(const struct agent_open *o, char *text, size_t size)
{
    int n = snprintf(text, size, "folder=%s\nproof=%s\nbeat_s=%.17g\npatience_s=%.17g\n", o->folder,
                     o->proof, o->beat_s, o->patience_s);
    return whole(n, size, 4, text);
}

enum status agent_open_parse(const char *text, struct agent_open *o, struct message *m)
{
    memset(o, 0, sizeof *o);
    const struct field fields[] = {
        TEXT_FIELD(o, folder),
        TEXT_FIELD(o, proof),
        {.key = "beat_s", .real = &o->beat_s},
        {.key = "patience_s", .real = &o->patience_s},
    };
    enum status s = fields_parse(text, fields, sizeof fields / sizeof *fields, "greeting", m);
    if (s == STATUS_OK && !(o->beat_s > 0 && o->patience_s > o->beat_s))
        s = status_fail(m, STATUS_BAD_INPUT, "the greeting has a number that cannot be");
    return s;
}

enum status agent_hello_here(struct agent_hello *h, struct message *m)
{
    struct build_info b;
    enum status s = build_info(&b, m);
    if (s != STATUS_OK)
        return s;
    *h = (struct agent_hello){.protocol = AGENT_PROTOCOL,
                              .pid = getpid(),
                              .cores = machine_cores(),
                              .memory = memory_budget_available(),
                              .threads = b.threads};
    const uint16_t one = 1;
    snprintf(h->order, sizeof h->order, "%s", *(const char *)&one ? "little" : "big");
    gethostname(h->host, sizeof h->host - 1);
    snprintf(h->sources, sizeof h->sources, "%s", build_sources());
    snprintf(h->version, sizeof h->version, "%s", b.version);
    snprintf(h->commit, sizeof h->commit, "%s", b.commit);
    snprintf(h->compiler, sizeof h->compiler, "%s", b.compiler);
    snprintf(h->flags, sizeof h->flags, "%s", b.flags);
    snprintf(h->openblas, sizeof h->openblas, "%s", b.openblas);
    snprintf(h->core_type, sizeof h->core_type, "%s", b.core_type);
    snprintf(h->kernels, sizeof h->kernels, "%s", b.kernels);
    snprintf(h->cpu, sizeof h->cpu, "%s", b.cpu);
    return s;
}

struct build_info agent_hello_build(const struct agent_hello *h)
{
    return (struct build_info){.version = h->version,
                               .commit = h->commit,
                               .compiler = h->compiler,
                               .flags = h->flags,
                               .openblas = h->openblas,
                               .core_type = h->core_type,
                               .kernels = h->kernels,
                               .cpu = h->cpu,
                               .threads = (int)h->threads};
}
