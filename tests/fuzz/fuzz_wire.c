/* The worker's messages, the frames of agents and the coordinator's job, as foreign bytes. The
 * first byte says how large the pieces are in which the stream arrives. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/hosts/agent_wire.h"
#include "sweep/worker/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_stream(const uint8_t *data, size_t size, size_t piece)
{
    struct wire_buffer in = {0};
    struct message m;
    for (size_t at = 0; at < size; at += piece) {
        size_t n = size - at < piece ? size - at : piece;
        struct wire_frame f;
        bool good = wire_feed(&in, data + at, n, wire_valid, &m) == STATUS_OK;
        while (wire_next(&in, &f))
            if (!wire_valid(&f) || f.payload[f.size] != '\0')
                abort();
        if (!good)
            break;
    }
    wire_free(&in);
}

/* The same as what an agent says, or a coordinator to it. */
static void read_frames(const uint8_t *data, size_t size, size_t piece, bool skips)
{
    struct agent_in in = {.skips = skips};
    struct worker_end e;
    struct message m;
    for (size_t at = 0; at < size; at += piece) {
        size_t n = size - at < piece ? size - at : piece;
        struct wire_frame f;
        if (agent_feed(&in, data + at, n, &m) != STATUS_OK)
            break;
        while (wire_next(&in.frames, &f)) {
            if (f.slot < 0 || f.slot >= HOST_SLOTS_MAX || f.payload[f.size] != '\0')
                abort();
            if (f.type >= WIRE_STARTED && !wire_valid(&f))
                abort();
            if (f.type == AGENT_ENDED)
                agent_ended_parse(f.payload, &e, &m);
        }
    }
    wire_free(&in.frames);
}

/* What can be read as a job can be written, and read again to the same. */
static void read_job(const uint8_t *data, size_t size)
{
    static char text[WIRE_JOB_MAX + 1], again[WIRE_JOB_MAX];
    static struct job j, k;
    struct message m;
    if (size >= sizeof text)
        return;
    memcpy(text, data, size);
    text[size] = '\0';
    if (wire_job_parse(text, &j, &m) != STATUS_OK)
        return;
    if (wire_job_format(&j, again, sizeof again) < 0)
        return;
    if (wire_job_parse(again, &k, &m) != STATUS_OK || strcmp(j.config, k.config) != 0 ||
        j.seed != k.seed)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    read_stream(data + 1, size - 1, data[0] ? data[0] : 1);
    read_frames(data + 1, size - 1, data[0] ? data[0] : 1, false);
    read_frames(data + 1, size - 1, data[0] ? data[0] : 1, true);
    read_job(data, size);
    return 0;
}
