#include "sweep/hosts/slurm.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sweep/hosts/subprocess.h"
#include "sweep/worker/memory_budget.h"

extern char **environ;

/* ---- the allocation ---- */

/* Reads the next of "2(x3),4", a number of CPUs and for how many nodes on end it stands, and moves
 * *text behind it. */
static bool next_cpus(const char **text, long *cpus, long *nodes)
{
    char *end;
    *cpus = strtol(*text, &end, 10);
    *nodes = 1;
    if (strncmp(end, "(x", 2) == 0) {
        *nodes = strtol(end + 2, &end, 10);
        end += *end == ')';
    }
    bool good = end > *text && *cpus >= 1 && *nodes >= 1 && (*end == ',' || !*end);
    *text = end + (*end == ',');
    return good;
}

static enum status fill_specs(const char *names, const char *cpus, struct host_spec *list,
                              int count, struct message *m)
{
    long slots = 0;
    long nodes = 0;
    for (int i = 0; i < count; i++) {
        int length = (int)strcspn(names, "\n");
        if (nodes == 0 && !next_cpus(&cpus, &slots, &nodes))
            return status_fail(m, STATUS_BAD_INPUT,
                               "the allocation names %s and not the CPUs of all of them "
                               "(SLURM_JOB_CPUS_PER_NODE)",
                               text_counted(count, "node").text);
        nodes--;
        snprintf(list[i].name, sizeof list[i].name, "%.*s", length, names);
        list[i].slots = (int)(slots < HOST_SLOTS_MAX ? slots : HOST_SLOTS_MAX);
        list[i].memory = memory_budget_of_job((double)slots);
        names += length + (names[length] == '\n');
    }
    return STATUS_OK;
}

enum status slurm_specs(const char *names, const char *cpus, struct host_spec **list, int *count,
                        struct message *m)
{
    int n = 0;
    for (const char *at = names; *at; at += strcspn(at, "\n"), at += *at == '\n')
        n++;
    struct host_spec *specs = calloc((size_t)n + 1, sizeof *specs);
    if (!specs)
        return status_fail(m, STATUS_NO_MEMORY, "no memory for %d hosts", n);
    enum status s = n > 0 ? fill_specs(names, cpus, specs, n, m)
                          : status_fail(m, STATUS_BAD_INPUT, "the allocation has no nodes");
    if (s != STATUS_OK) {
        free(specs);
        return s;
    }
    *list = specs;
    *count = n;
    return STATUS_OK;
}

/* Runs what is to be had on every machine of a cluster. */
static enum status run_here(struct subprocess *c, struct text_buffer *said, struct message *m)
{
    enum status s = subprocess_run(c, said, m);
    return c->missing ? status_fail(m, STATUS_IO,
                                    "there is no %s in PATH: is this a machine of the cluster?",
                                    c->argv[0])
                      : s;
}

/* What scontrol makes of the allocation's list of nodes, "n[1-4]". */
static enum status read_names(const char *nodes, struct text_buffer *names, struct message *m)
{
    char *const argv[] = {(char *)"scontrol", (char *)"show", (char *)"hostnames", (char *)nodes,
                          NULL};
    struct subprocess c = {.argv = argv, .patience_ms = SUBPROCESS_FOREVER};
    enum status s = run_here(&c, names, m);
    if (s != STATUS_OK || c.succeeded)
        return s;
    return status_fail(m, STATUS_IO, "scontrol does not name the nodes of the allocation, %s",
                       nodes);
}

enum status slurm_hosts(struct host_spec **list, int *count, struct message *m)
{
    struct text_buffer names = {0};
    const char *nodes = getenv("SLURM_JOB_NODELIST");
    const char *cpus = getenv("SLURM_JOB_CPUS_PER_NODE");
    if (!nodes || !cpus)
        return status_fail(m, STATUS_BAD_INPUT,
                           "--launch slurm takes its hosts from the allocation that it runs in, "
                           "and there is none: start it through sbatch or salloc, or let "
                           "`headcount submit` do it");
    enum status s = read_names(nodes, &names, m);
    if (s == STATUS_OK)
        s = slurm_specs(names.text ? names.text : "", cpus, list, count, m);
    free(names.text);
    return s;
}

/* ---- a job ---- */

/* "17" of "17;cluster"; "" where sbatch gave the job no number. */
static void read_id(const char *said, char id[SLURM_ID])
{
    snprintf(id, SLURM_ID, "%.*s", (int)strspn(said, "0123456789"), said);
}

static void on_id(const char *said, void *context)
{
    const struct slurm_wait *wait = context;
    char id[SLURM_ID];
    read_id(said, id);
    if (id[0])
        wait->submitted(id, wait->context);
}

static enum status sbatch_answer(const struct subprocess *c, const char *said,
                                 struct slurm_wait *wait, char id[SLURM_ID], struct message *m)
{
    read_id(said, id);
    if (wait && id[0] && c->exit_status < 0)
        return status_fail(m, STATUS_IO,
                           "job %s was submitted, and sbatch was killed before its end", id);
    if (wait && id[0])
        wait->exit_status = c->exit_status;
    else if (!c->succeeded)
        return status_fail(m, STATUS_IO, "sbatch refused the job; see its message above");
    if (!id[0])
        return status_fail(m, STATUS_IO, "sbatch gave the job no number");
    return STATUS_OK;
}

enum status slurm_submit(char *const *option, int options, const char *script, size_t size,
                         struct slurm_wait *wait, char id[SLURM_ID], struct message *m)
{
    struct text_buffer said = {0};
    char **argv = calloc((size_t)options + 4, sizeof *argv);
    if (!argv)
        return status_fail(m, STATUS_NO_MEMORY, "no memory to start sbatch");
    argv[0] = (char *)"sbatch";
    argv[1] = (char *)"--parsable";
    memcpy(argv + 2, option, (size_t)options * sizeof *argv);
    if (wait)
        argv[2 + options] = (char *)"--wait";
    struct subprocess c = {.argv = argv,
                           .input = script,
                           .input_size = size,
                           .patience_ms = SUBPROCESS_FOREVER,
                           .on_line = wait ? on_id : NULL,
                           .context = wait};
    enum status s = run_here(&c, &said, m);
    free(argv);
    if (s == STATUS_OK)
        s = sbatch_answer(&c, said.text ? said.text : "", wait, id, m);
    free(said.text);
    return s;
}

/* ---- the jobs of a results file ---- */

/* Its real path, also where it, or a folder above it, is not there yet. NULL without memory, and
 * where there is no working directory. */
static char *real_path(const char *path)
{
    char *found = realpath(path, NULL);
    if (found || errno == ENOMEM)
        return found;
    const char *slash = strrchr(path, '/');
    if (slash == path)
        return strdup(path);
    char *above = slash ? strndup(path, (size_t)(slash - path)) : NULL;
    char *folder = above ? real_path(above) : slash ? NULL : getcwd(NULL, 0);
    if (!folder || asprintf(&found, "%s/%s", folder, slash ? slash + 1 : path) < 0)
        found = NULL;
    free(folder);
    free(above);
    return found;
}

char *slurm_comment(const char *db)
{
    enum { LONGEST = 900 }; /* of a path: Slurm refuses a comment of more than 1024 bytes */
    struct text_buffer b = {0};
    char *path = real_path(db);
    size_t length = path ? strlen(path) : 0;
    if (path)
        text_add(&b, "headcount %s%s", length > LONGEST ? "..." : "",
                 length > LONGEST ? path + length - LONGEST : path);
    free(path);
    for (char *c = b.text; c && *c; c++) /* squeue prints a job a line */
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    if (!b.out_of_memory)
        return b.text;
    free(b.text);
    return NULL;
}

#define SHARDS_BEFORE " ("
#define SHARDS_BEHIND " shards)"

char *slurm_array_comment(const char *db, long shards)
{
    char *comment = slurm_comment(db), *longer = NULL;
    if (comment && asprintf(&longer, "%s" SHARDS_BEFORE "%ld" SHARDS_BEHIND, comment, shards) < 0)
        longer = NULL;
    free(comment);
    return longer;
}

/* How many shards the comment at the end of a line tells of, 0 if it tells of none; *end then moves
 * before these words. */
static long take_shards(const char *line, const char **end)
{
    const size_t before = strlen(SHARDS_BEFORE), behind = strlen(SHARDS_BEHIND);
    const char *at = *end - behind;
    if (at <= line || memcmp(at, SHARDS_BEHIND, behind) != 0)
        return 0;
    const char *digits = at;
    while (digits > line && at - digits < 9 && digits[-1] >= '0' && digits[-1] <= '9')
        digits--;
    if (digits == at || digits - line < (ptrdiff_t)before ||
        memcmp(digits - before, SHARDS_BEFORE, before) != 0)
        return 0;
    *end = digits - before;
    return strtol(digits, NULL, 10);
}

/* A field up to the next '|'; moves *text behind it. False where there is none, or it is too long.
 */
static bool next_field(const char **text, const char *end, char *field, size_t size)
{
    const char *bar = memchr(*text, '|', (size_t)(end - *text));
    if (!bar || (size_t)(bar - *text) >= size)
        return false;
    memcpy(field, *text, (size_t)(bar - *text));
    field[bar - *text] = '\0';
    *text = bar + 1;
    return true;
}

/* "17_2|17|2|RUNNING|None|NAME|COMMENT", where names and comments may have anything in them. */
static bool read_job(const char *line, const char *end, const char *comment, struct slurm_job *j)
{
    char job[32], task[32];
    const size_t length = strlen(comment);
    *j = (struct slurm_job){.shards = take_shards(line, &end)};
    if ((size_t)(end - line) <= length || end[-(ptrdiff_t)length - 1] != '|' ||
        memcmp(end - length, comment, length) != 0)
        return false;
    end -= length;
    if (!next_field(&line, end, j->id, sizeof j->id) || !next_field(&line, end, job, sizeof job) ||
        !next_field(&line, end, task, sizeof task) ||
        !next_field(&line, end, j->state, sizeof j->state) ||
        !next_field(&line, end, j->reason, sizeof j->reason) || end <= line)
        return false;
    snprintf(j->name, sizeof j->name, "%.*s", (int)(end - 1 - line), line);
    j->job = strtol(job, NULL, 10);
    j->task = strtol(task, NULL, 10); /* "N/A" */
    return j->job > 0;
}

static enum status read_jobs(const char *said, const char *comment, struct slurm_job **list,
                             int *count, struct message *m)
{
    int lines = 0;
    for (const char *at = said; *at; at++)
        lines += *at == '\n';
    struct slurm_job *jobs = calloc((size_t)lines + 1, sizeof *jobs);
    if (!jobs)
        return status_fail(m, STATUS_NO_MEMORY, "no memory for %d jobs", lines);
    *count = 0;
    for (const char *at = said; *at;) {
        const char *end = at + strcspn(at, "\n");
        *count += read_job(at, end, comment, &jobs[*count]);
        at = end + (*end == '\n');
    }
    *list = jobs;
    return STATUS_OK;
}

/* The environment without what users have set for their own looks at the queue (SQUEUE_STATES,
 * SQUEUE_USERS), which would hide jobs. NULL without memory. */
static char **plain_environment(void)
{
    size_t n = 0;
    while (environ[n])
        n++;
    char **plain = calloc(n + 1, sizeof *plain);
    for (size_t i = 0, kept = 0; plain && i < n; i++)
        if (strncmp(environ[i], "SQUEUE_", strlen("SQUEUE_")) != 0)
            plain[kept++] = environ[i];
    return plain;
}

static enum status ask_queue(int patience_ms, bool quiet, struct text_buffer *said, bool *answered,
                             struct message *m)
{
    char *const argv[] = {(char *)"squeue",
                          (char *)"-h",
                          (char *)"-r",
                          (char *)"-o",
                          (char *)"%i|%F|%K|%T|%r|%j|%k",
                          NULL};
    char **plain = plain_environment();
    if (!plain)
        return status_fail(m, STATUS_NO_MEMORY, "no memory to start squeue");
    struct subprocess c = {
        .argv = argv, .environment = plain, .patience_ms = patience_ms, .quiet = quiet};
    enum status s = subprocess_run(&c, said, m);
    free(plain);
    if (c.missing)
        return STATUS_OK;
    *answered = s == STATUS_OK && c.succeeded;
    if (s == STATUS_OK && !c.succeeded)
        s = status_fail(m, STATUS_IO, "squeue does not tell which jobs are in the queue");
    return s;
}

static enum status find_jobs(const char *db, int patience_ms, bool quiet, struct slurm_job **list,
                             int *count, bool *answered, struct message *m)
{
    struct text_buffer said = {0};
    char *comment = slurm_comment(db);
    *list = NULL;
    *count = 0;
    *answered = false;
    enum status s = comment ? ask_queue(patience_ms, quiet, &said, answered, m)
                            : status_no_memory(m, "a comment");
    if (s == STATUS_OK && said.text)
        s = read_jobs(said.text, comment, list, count, m);
    free(said.text);
    free(comment);
    return s;
}

enum status slurm_jobs_within(const char *db, int patience_ms, struct slurm_job **list, int *count,
                              bool *answered, struct message *m)
{
    return find_jobs(db, patience_ms, true, list, count, answered, m);
}

enum status slurm_jobs(const char *db, struct slurm_job **list, int *count, struct message *m)
{
    enum { PATIENCE_MS = 10000 };
    bool answered;
    return find_jobs(db, PATIENCE_MS, false, list, count, &answered, m);
}

/* What squeue made of one job. COMPLETING and all ends are ends; a job that is put back into the
 * queue will have other nodes. */
static enum slurm_allocation read_state(const char *said, bool succeeded)
{
    static const char *const with_nodes[] = {"RUNNING",  "SUSPENDED", "CONFIGURING",
                                             "RESIZING", "SIGNALING", "STOPPED"};
    for (const char *at = said; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        size_t length = strcspn(at, "\n");
        if (length == 0 || strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") != length)
            continue;
        for (size_t i = 0; i < sizeof with_nodes / sizeof *with_nodes; i++)
            if (strlen(with_nodes[i]) == length && memcmp(at, with_nodes[i], length) == 0)
                return SLURM_THERE;
        return SLURM_GONE;
    }
    bool unknown = strstr(said, "Invalid job id") || (succeeded && !*said);
    return unknown ? SLURM_GONE : SLURM_NO_ANSWER;
}

enum slurm_allocation slurm_allocation(void)
{
    enum { PATIENCE_MS = 5000 };
    struct text_buffer said = {0};
    const char *job = getenv("SLURM_JOB_ID");
    char *const argv[] = {(char *)"squeue", (char *)"-h", (char *)"-j", (char *)job,
                          (char *)"-o",     (char *)"%T", NULL};
    char **plain = job ? plain_environment() : NULL;
    enum slurm_allocation found = SLURM_NO_ANSWER;
    if (!plain)
        return found;
    struct subprocess c = {
        .argv = argv, .environment = plain, .errors = &said, .patience_ms = PATIENCE_MS};
    if (subprocess_run(&c, &said, NULL) == STATUS_OK)
        found = read_state(said.text ? said.text : "", c.succeeded);
    free(said.text);
    free(plain);
    return found;
}
