#include "sweep/worker/calibrate.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "engine/encoder_cost.h"
#include "sweep/worker/trial.h"

static const double STEPS_S = 0.05;   /* how long steps are measured */
static const double STEP_FLOPS = 2e8; /* the most that one step may take */
static const double MEMORY = 0x1p28;  /* ... and the whole trial */
/* What is not measured of a trial: the start of its program, its result on disk, the coordinator's
 * part (trials of one step, 400 of them, took 7 ms more of CPU time than the child says). */
static const double BESIDE_S = 0.007;
enum { EXAMPLES = 1024 };
int calibrate_patience_ms = 2000;

/* Less of the same: fewer sequences in a batch, then fewer layers, and no more examples than a
 * measurement has time for. False where that is not enough. */
static bool make_small(struct point *p, struct encoder_io *io)
{
    struct task_shape shape;
    if (point_check(p, io, &shape, NULL, NULL) != STATUS_OK)
        return false;
    double flops = encoder_step_flops(&p->model, io, (long)p->train.batch);
    if (flops > STEP_FLOPS) {
        p->train.batch = (int64_t)((double)p->train.batch * STEP_FLOPS / flops);
        p->train.batch = p->train.batch > 0 ? p->train.batch : 1;
        flops = encoder_step_flops(&p->model, io, (long)p->train.batch);
    }
    if (flops > STEP_FLOPS)
        p->model.layers = 1;
    if (p->train.val_examples > EXAMPLES)
        p->train.val_examples = EXAMPLES;
    if (p->train.test_examples > EXAMPLES)
        p->train.test_examples = EXAMPLES;
    p->train.examples = 0;
    return encoder_memory(&p->model, io, (long)p->train.batch) <= MEMORY;
}

/* In the child: builds the trial and trains for a moment. */
static bool measure(struct arena *a, const struct point *p, const struct encoder_io *io,
                    struct calibration *c)
{
    struct trial *t;
    double begun_s = clock_s(CLOCK_PROCESS_CPUTIME_ID);
    if (trial_new(a, p, 0, METRIC_VAL_ACC, NULL, &t, NULL) != STATUS_OK)
        return false;
    c->heads = p->model.heads;
    c->flops_per_step = encoder_step_flops(&p->model, io, (long)p->train.batch);
    struct message m;
    if (trainer_step(t->trainer, &m) != STATUS_OK) /* the first one warms the caches */
        return false;
    double from_s = clock_s(CLOCK_PROCESS_CPUTIME_ID), now_s;
    c->start_s = from_s - begun_s;
    do {
        if (trainer_step(t->trainer, &m) != STATUS_OK)
            break; /* diverged: what was measured until then counts */
        c->steps++;
        now_s = clock_s(CLOCK_PROCESS_CPUTIME_ID);
        c->seconds = now_s - from_s;
    } while (c->seconds < STEPS_S && t->trainer->step < p->train.steps);
    if (c->steps > 0)
        c->start_s = fmax(0, c->start_s - c->seconds / c->steps);
    return c->steps > 0;
}

static _Noreturn void be_child(const struct point *p, const struct encoder_io *io, int out)
{
    static struct calibration c;
    static struct arena a;
    struct point endless = *p;
    jmp_buf exhausted;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    endless.train.steps = endless.train.eval_every = INT32_MAX;
    endless.train.warmup = 0;
    arena_init(&a, &exhausted);
    bool ok = setjmp(exhausted) == 0 && measure(&a, &endless, io, &c) &&
              write(out, &c, sizeof c) == sizeof c;
    _exit(!ok);
}

static bool listen_to(int fd, struct calibration *c)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    int n;
    do
        n = poll(&p, 1, calibrate_patience_ms);
    while (n < 0 && errno == EINTR);
    return n == 1 && read(fd, c, sizeof *c) == sizeof *c;
}

static bool ask_child(const struct point *p, const struct encoder_io *io, struct calibration *c)
{
    int ends[2];
    if (pipe(ends) != 0)
        return false;
    pid_t pid = fork();
    if (pid == 0)
        be_child(p, io, ends[1]);
    close(ends[1]);
    bool ok = pid > 0 && listen_to(ends[0], c);
    close(ends[0]);
    if (pid > 0) {
        kill(pid, SIGKILL);
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    return ok;
}

bool calibrate(const struct point *p, struct calibration *c)
{
    struct point small = *p;
    struct encoder_io io;
    if (!make_small(&small, &io) || !ask_child(&small, &io, c))
        return false;
    c->start_s += BESIDE_S;
    return true;
}
