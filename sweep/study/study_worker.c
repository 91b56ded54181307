#include "sweep/study/study_worker.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine/kernels/blas.h"
#include "sweep/study/study_job.h"
#include "sweep/worker/worker_ends.h"

static enum status send_answer(const struct text_buffer *json, struct message *m)
{
    enum { PIECE = 1 << 16 };
    if (json->out_of_memory)
        return status_no_memory(m, "the answer");
    for (size_t at = 0; at < json->used; at += PIECE) {
        size_t size = json->used - at < PIECE ? json->used - at : PIECE;
        enum status s = wire_send(WIRE_MESSAGE_FD, WIRE_ANSWER, json->text + at, size, m);
        if (s != STATUS_OK)
            return s;
    }
    return STATUS_OK;
}

static enum status answer(struct arena *a, const char *text, struct message *m)
{
    const struct study *study;
    struct study_job job = {0};
    struct study_answer out = {{0}};
    enum status s = study_job_parse(a, text, &study, &job, m);
    if (s == STATUS_OK)
        s = blas_start(1, m);
    if (s == STATUS_OK)
        s = study->answer(a, &job, &out, m);
    if (s == STATUS_OK)
        s = send_answer(&out.json, m);
    free(out.json.text);
    return s;
}

/* An arena that runs out of memory, wherever in the engine, comes back here. */
static enum status answer_guarded(const char *text, struct message *m)
{
    static struct arena a;
    jmp_buf exhausted;
    enum status s;
    arena_init(&a, &exhausted);
    if (setjmp(exhausted) != 0)
        s = status_fail(m, STATUS_NO_MEMORY, "no memory for an answer (%zu MiB in use)",
                        a.used >> 20);
    else
        s = answer(&a, text, m);
    arena_free(&a);
    return s;
}

int study_worker_main(void)
{
    static char text[WIRE_JOB_MAX];
    struct message m = {.text = ""};
    worker_begin();
    enum status s = worker_read_job(STUDY_WORKER, text, sizeof text, &m);
    if (s == STATUS_OK)
        s = answer_guarded(text, &m);
    if (s != STATUS_OK)
        fprintf(stderr, "%s\n", m.text);
    close(WIRE_MESSAGE_FD); /* the last word: whoever waits for the end may lose patience now */
    return s == STATUS_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
