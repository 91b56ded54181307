/* usage: fake_agents SECONDS HOST [words of the agent]
 *
 * Speaks the agent's side of agent_wire.h, as a launcher of `run --launch` that needs no machine
 * behind it: for each trial it says what a worker of one step says, and writes a result as durable
 * as a worker's, of as many weights (zeros, in one tensor), but trains nothing. A trial takes
 * SECONDS, half of it to half as much again. What the coordinator makes of very many machines can
 * so be seen on one (scale.sh). */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build_id.h"
#include "engine/base/arena.h"
#include "engine/base/clock.h"
#include "engine/base/file.h"
#include "engine/base/tensor.h"
#include "engine/nn.h"
#include "sweep/db/lock.h"
#include "sweep/hosts/agent_wire.h"
#include "sweep/worker/result.h"
#include "sweep/worker/trial_files.h"
#include "sweep/worker/worker.h"

struct lane {
    bool busy;
    double due_s; /* when its trial ends */
    int lock;
    struct job job;
};

struct fake {
    double trial_s, beat_s, beaten_s;
    bool open;
    unsigned drawn; /* of rand_r */
    struct agent_in in;
    struct wire_buffer out;
    struct lane *lane[HOST_SLOTS_MAX]; /* NULL: without a job so far */
    int lanes;
    char config[POINT_JSON_MAX]; /* whose weights these are */
    struct arena arena;
    struct nn nn;
};

static _Noreturn void give_up(const char *why)
{
    fprintf(stderr, "fake_agents: %s\n", why);
    exit(1);
}

static void expect(enum status s, const struct message *m)
{
    if (s != STATUS_OK)
        give_up(m->text);
}

static void say(struct fake *f, uint32_t type, int slot, const void *payload, size_t size)
{
    struct message m;
    expect(wire_put(&f->out, type, slot, payload, size, &m), &m);
}

static void introduce(struct fake *f, const char *host)
{
    char text[AGENT_TEXT_MAX];
    struct message m;
    struct agent_hello h = {.protocol = AGENT_PROTOCOL,
                            .order = "little",
                            .pid = getpid(),
                            .cores = 1,
                            .memory = 1e15,
                            .sources = BUILD_SOURCES,
                            .version = BUILD_VERSION,
                            .commit = BUILD_COMMIT,
                            .compiler = "none",
                            .flags = "",
                            .openblas = "none",
                            .core_type = "none",
                            .kernels = "none",
                            .cpu = "none"};
    snprintf(h.host, sizeof h.host, "%s", host);
    int length = agent_hello_format(&h, text, sizeof text);
    expect(wire_put_bytes(&f->out, AGENT_MAGIC, sizeof AGENT_MAGIC - 1, &m), &m);
    say(f, AGENT_HELLO, 0, text, (size_t)length);
}

/* ---- what a worker does ---- */

/* As many weights as a model of this configuration has. */
static void make_weights(struct fake *f, const char *config)
{
    struct point p;
    struct encoder_io io;
    struct task_shape shape;
    struct message m;
    if (strcmp(f->config, config) == 0)
        return;
    expect(point_parse(config, &p, &m), &m);
    expect(point_check(&p, &io, &shape, NULL, &m), &m);
    arena_free(&f->arena);
    f->nn = (struct nn){0};
    nn_vector(&f->arena, &f->nn, "weights", INIT_BIAS, (long)encoder_parameters(&p.model, &io), 1);
    nn_finish(&f->arena, &f->nn, false);
    snprintf(f->config, sizeof f->config, "%s", config);
}

static void start(struct fake *f, const struct wire_frame *frame)
{
    char pid[24], path[TRIAL_PATH_MAX];
    struct message m;
    if (!f->lane[frame->slot])
        f->lane[frame->slot] = calloc(1, sizeof *f->lane[frame->slot]);
    struct lane *l = f->lane[frame->slot];
    if (!l || l->busy)
        give_up(l ? "two trials in one slot" : "out of memory");
    if (frame->slot >= f->lanes)
        f->lanes = frame->slot + 1;
    expect(wire_job_parse(frame->payload, &l->job, &m), &m);
    trial_file_path(l->job.folder, l->job.trial, l->job.attempt, TRIAL_FILE_LOCK, path,
                    sizeof path);
    expect(lock_hold(path, &l->lock, &m), &m);
    l->busy = true;
    l->due_s = clock_now_s() + f->trial_s * (.5 + rand_r(&f->drawn) / (double)RAND_MAX);
    struct wire_progress p = {.steps = 1, .value = .5};
    int length = snprintf(pid, sizeof pid, "%ld", (long)getpid());
    say(f, AGENT_SPAWNED, frame->slot, pid, (size_t)length);
    say(f, WIRE_STARTED, frame->slot, &p, sizeof p);
}

static void end(struct fake *f, int slot, int exit_code, int signal_number)
{
    char text[AGENT_TEXT_MAX];
    struct worker_end e = {
        .exit_code = exit_code, .signal = signal_number, .cpu_s = f->trial_s, .max_rss_kib = 10000};
    say(f, AGENT_ENDED, slot, text, (size_t)agent_ended_format(&e, text, sizeof text));
    close(f->lane[slot]->lock);
    f->lane[slot]->busy = false;
}

static void finish(struct fake *f, int slot)
{
    const struct job *j = &f->lane[slot]->job;
    const struct curve_row curve = {.step = 1,
                                    .train_loss = 1,
                                    .train_acc = .5,
                                    .val_loss = 1,
                                    .val_acc = .5,
                                    .grad_norm = 1,
                                    .lr = .001,
                                    .elapsed_s = f->trial_s,
                                    .cpu_s = f->trial_s};
    const struct result r = {.steps_done = 1,
                             .has_best = true,
                             .best_step = 1,
                             .train_acc = .5,
                             .val_acc = .5,
                             .test_acc = .5,
                             .test_exact = .5,
                             .test_loss = 1,
                             .slots = 1,
                             .test_acc_by_slot = {.5},
                             .chance = .5,
                             .train_s = f->trial_s,
                             .rows = 1,
                             .curve = &curve};
    const struct wire_progress p = {.step = 1, .steps = 1, .loss = 1, .acc = .5, .value = .5};
    char name[TRIAL_NAME_MAX], path[TRIAL_PATH_MAX];
    struct text_buffer rows = {0};
    struct json_writer json = {.text = &rows};
    struct message m;
    make_weights(f, j->config);
    trial_file_name(j->trial, j->attempt, TRIAL_FILE_RESULT, name, sizeof name);
    trial_file_path(j->folder, j->trial, j->attempt, TRIAL_FILE_RESULT, path, sizeof path);
    expect(result_write(path, &r, &f->nn, j->config, j->seed, &m), &m);
    json_begin_list(&json, NULL);
    curve_row_json(&curve, &json);
    json_end_list(&json);
    say(f, WIRE_CURVE, slot, rows.text, rows.used);
    free(rows.text);
    say(f, WIRE_PROGRESS, slot, &p, sizeof p);
    say(f, WIRE_FINISHED, slot, name, strlen(name));
    end(f, slot, WORKER_FINISHED, 0);
}

/* ---- the coordinator's orders ---- */

static void open_folder(struct fake *f, const char *text)
{
    struct agent_open o;
    struct message m;
    char path[PATH_MAX + 80];
    void *proof;
    size_t size;
    expect(agent_open_parse(text, &o, &m), &m);
    snprintf(path, sizeof path, "%s/%s", o.folder, o.proof);
    expect(file_read(path, 128, &proof, &size, &m), &m);
    say(f, AGENT_READY, 0, proof, strlen(proof));
    free(proof);
    f->open = true;
    f->beat_s = o.beat_s;
}

static void obey(struct fake *f, const struct wire_frame *frame)
{
    const struct lane *l = frame->slot < f->lanes ? f->lane[frame->slot] : NULL;
    switch (frame->type) {
    case AGENT_OPEN:
        open_folder(f, frame->payload);
        break;
    case AGENT_START:
        start(f, frame);
        break;
    case AGENT_STOP:
        if (l && l->busy)
            end(f, frame->slot, WORKER_STOPPED, 0);
        break;
    case AGENT_KILL:
        if (l && l->busy)
            end(f, frame->slot, 0, 9);
        break;
    case AGENT_BYE:
        exit(0);
    default:
        break;
    }
}

static void hear(struct fake *f)
{
    char bytes[65536];
    struct message m;
    struct wire_frame frame;
    ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);
    if (n == 0)
        exit(0);
    if (n < 0 && errno != EINTR)
        give_up(strerror(errno));
    if (n > 0)
        expect(agent_feed(&f->in, bytes, (size_t)n, &m), &m);
    while (wire_next(&f->in.frames, &frame))
        obey(f, &frame);
}

/* Ends what is due, and returns for how long nothing is. */
static double do_what_is_due(struct fake *f)
{
    double now = clock_now_s(), next = f->open ? f->beaten_s + f->beat_s : now + 1;
    for (int i = 0; i < f->lanes; i++) {
        const struct lane *l = f->lane[i];
        if (l && l->busy && l->due_s <= now)
            finish(f, i);
        else if (l && l->busy && l->due_s < next)
            next = l->due_s;
    }
    if (f->open && now >= f->beaten_s + f->beat_s) {
        say(f, AGENT_BEAT, 0, NULL, 0);
        for (int i = 0; i < f->lanes; i++)
            if (f->lane[i] && f->lane[i]->busy)
                say(f, AGENT_RUNS, i, NULL, 0);
        f->beaten_s = now;
    }
    return next > now ? next - now : 0;
}

int main(int count, char **argument)
{
    static struct fake f;
    struct message m;
    if (count < 3)
        give_up("usage: fake_agents SECONDS HOST");
    f.trial_s = strtod(argument[1], NULL);
    f.drawn = (unsigned)getpid();
    arena_init(&f.arena, NULL);
    introduce(&f, argument[2]);
    for (;;) {
        double idle_s = do_what_is_due(&f);
        struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
        expect(wire_flush(&f.out, STDOUT_FILENO, &m), &m);
        if (poll(&in, 1, (int)(1e3 * idle_s) + 1) > 0)
            hear(&f);
    }
}
