#include "sweep/cli/batch.h"

#include <stdlib.h>
#include <string.h>

#include "sweep/db/shard_files.h"
#include "sweep/hosts/slurm.h"

/* Seconds before the time limit at which Slurm says so: a run needs up to STOP_WITHIN_S to stop. */
#define BATCH_SIGNAL "--signal=B:USR1@60"

void batch_free(struct batch *b)
{
    for (int i = 0; i < b->options; i++)
        free(b->option[i]);
    free(b->option);
    free(b->script.text);
    *b = (struct batch){0};
}

void batch_option(struct batch *b, const char *format, ...)
{
    va_list arguments;
    char *text;
    char **more = realloc(b->option, ((size_t)b->options + 2) * sizeof *more);
    if (!more) {
        b->out_of_memory = true;
        return;
    }
    b->option = more;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length >= 0)
        more[b->options++] = text;
    b->out_of_memory |= length < 0;
    more[b->options] = NULL;
}

static void add_cores(struct batch *b, const struct batch_request *r)
{
    if (r->cpus)
        batch_option(b, "--cpus-per-task=%ld", r->cpus);
    else
        batch_option(b, "--exclusive");
}

/* What every job has, and at last what the user asks for. shards: of an array, else 0. */
static void add_common(struct batch *b, const struct batch_request *r,
                       const struct sbatch_words *words, long shards)
{
    char *comment = shards ? slurm_array_comment(r->db, shards) : slurm_comment(r->db);
    b->out_of_memory |= !comment;
    batch_option(b, "--comment=%s", comment ? comment : "");
    free(comment);
    batch_option(b, "--requeue");
    batch_option(b, "--open-mode=append");
    for (int i = 0; i < words->count; i++)
        batch_option(b, "%s", words->word[i]);
}

static void add_after(struct batch *b, const struct batch_request *r)
{
    const char *after = r->after ? r->after : r->words->dependency;
    if (after)
        batch_option(b, "--dependency=%s", after);
}

static enum status finished(struct batch *b, struct message *m)
{
    if (!b->out_of_memory && !b->script.out_of_memory)
        return STATUS_OK;
    batch_free(b);
    return status_no_memory(m, "a job");
}

/* Up to the first use of "$db", the results file, and "$job", the number. job: for the shell. */
static void begin_script(struct batch *b, const struct batch_request *r, const char *what,
                         const char *job)
{
    text_add(&b->script, "#!/bin/%s\n# Made by `headcount submit`: %s\ncd ",
             r->setup ? "bash" : "sh", what);
    text_add_shell(&b->script, r->folder);
    text_add(&b->script, " || exit\njob=%s\ndb=", job);
}

/* What changes the plan or takes results away is done once: a job that comes back from the queue
 * goes on with what its first start has made of it, and is refused where that is another sweep. */
static void add_once(struct text_buffer *b, const struct batch_request *r)
{
    text_add(b,
             "# At the first start only: a job that comes back from the queue keeps what is done.\n"
             "once='%s%s%s'\n"
             "[ \"${SLURM_RESTART_COUNT:-0}\" = 0 ] || once=\n",
             r->retry_failed ? "--retry-failed" : "", r->retry_failed && r->replace ? " " : "",
             r->replace ? "--replace" : "");
}

/* Slurm's signal before the time limit comes to the script, SIGTERM to the run itself too. Up to
 * the last options. */
static void begin_run(struct text_buffer *b, const struct batch_request *r)
{
    bool once = r->retry_failed || r->replace;
    text_add(b, "\n");
    batch_add_queueing(b);
    text_add(b, "run= early= stopped=\n"
                "trap 'stopped=yes; if [ \"$run\" ]; then kill -USR1 \"$run\"; else early=yes; fi' "
                "USR1\n"
                "trap 'stopped=yes' TERM\n");
    if (once)
        add_once(b, r);
    batch_add_program(b, r);
    text_add(b, " run %s", once ? "$once " : "");
    for (int i = 0; i < r->set.count; i++) {
        text_add(b, "--set ");
        text_add_shell(b, r->set.item[i]);
        text_add(b, " ");
    }
    /* What was done of its trials before, in whichever number of shards, is not done again. */
    text_add(b, "--db \"$db\" --from-shards ");
    text_add_shell(b, r->db);
}

/* The text as the standard input of a command whose line ends with `more`. What ends it is in no
 * text of its own. */
static void add_here_document(struct text_buffer *b, const char *end, const char *more,
                              const char *text)
{
    struct text_buffer mark = {0};
    text_add(&mark, "%s", end);
    while (mark.text && !mark.out_of_memory && strstr(text, mark.text))
        text_add(&mark, "_");
    b->out_of_memory |= mark.out_of_memory;
    if (!b->out_of_memory)
        text_add(b, " <<'%s'%s\n%s%s%s\n", mark.text, more, text,
                 text[0] && text[strlen(text) - 1] != '\n' ? "\n" : "", mark.text);
    free(mark.text);
}

/* From the sweep file on: a job whose run was stopped goes back into the queue. */
static void end_run(struct text_buffer *b, const struct batch_request *r)
{
    if (r->as) {
        text_add(b, " --as ");
        text_add_shell(b, r->as);
    }
    text_add(b, " -");
    add_here_document(b, "END_OF_SWEEP", " &", r->sweep);
    text_add(b, "run=$!\n%s", r->setup ? "set +eu # if it was set above\n" : "");
    text_add(b, "%s",
             "[ -z \"$early\" ] || kill -USR1 \"$run\"\n"
             "until wait \"$run\"; status=$?; ! kill -0 \"$run\" 2>/dev/null; do :; done\n"
             "case $status,$stopped in\n"
             "75,yes | 138,yes) requeue ;; # before its end; 138: before it had begun\n"
             "75,) echo 'The run stopped by itself, most likely because the disk is full (see"
             " above), so that this job' >&2\n"
             "    echo 'does not go back into the queue. Once there is room, the same submit goes"
             " on.' >&2 ;;\n"
             "4,*) wait_for_holder ;;\n"
             "esac\n"
             "exit \"$status\"\n");
}

enum status batch_run(const struct batch_request *r, struct batch *b, struct message *m)
{
    batch_option(b, "--job-name=%s", r->name);
    batch_option(b, "--nodes=%ld", r->nodes);
    batch_option(b, "--ntasks-per-node=1");
    add_cores(b, r);
    batch_option(b, "--no-kill"); /* a node that fails costs what ran on it */
    batch_option(b, BATCH_SIGNAL);
    add_common(b, r, r->words, 0);
    add_after(b, r);
    begin_script(b, r, "a sweep on all nodes of this job.", "$SLURM_JOB_ID");
    text_add_shell(&b->script, r->db);
    begin_run(&b->script, r);
    batch_add_launch(&b->script, r);
    end_run(&b->script, r);
    return finished(b, m);
}

/* The file of a shard as a word of the shell, which has the number in a variable. */
static void add_shard(struct batch *b, const struct batch_request *r, const char *variable)
{
    size_t length = shard_file_stem(r->db);
    char *stem = strndup(r->db, length);
    b->out_of_memory |= !stem;
    if (!stem)
        return;
    text_add_shell(&b->script, stem);
    text_add(&b->script, "-\"$%s\"-of-%ld%s", variable, r->array, r->db + length);
    free(stem);
}

enum status batch_shards(const struct batch_request *r, struct batch *b, struct message *m)
{
    batch_option(b, "--job-name=%s", r->name);
    if (r->at_once)
        batch_option(b, "--array=1-%ld%%%ld", r->array, r->at_once);
    else
        batch_option(b, "--array=1-%ld", r->array);
    batch_option(b, "--nodes=1");
    batch_option(b, "--ntasks=1");
    add_cores(b, r);
    batch_option(b, BATCH_SIGNAL);
    add_common(b, r, r->words, r->array);
    add_after(b, r);
    /* SLURM_JOB_ID of its last task is the number of the whole array. */
    begin_script(b, r, "a share of a sweep, in a results file of its own.",
                 "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID");
    add_shard(b, r, "SLURM_ARRAY_TASK_ID");
    begin_run(&b->script, r);
    text_add(&b->script, " --shard \"$SLURM_ARRAY_TASK_ID/%ld\" -j \"$SLURM_CPUS_ON_NODE\"",
             r->array);
    end_run(&b->script, r);
    return finished(b, m);
}

/* The files that are merged become the script's arguments. A shard whose job came to nothing has
 * none. */
static void list_shards(struct batch *b, const struct batch_request *r)
{
    text_add(&b->script,
             "k=0\n"
             "while [ $((k += 1)) -le %ld ]; do\n"
             "    file=",
             r->array);
    add_shard(b, r, "k");
    text_add(
        &b->script,
        "\n"
        "    if [ -e \"$file\" ]; then set -- \"$@\" \"$file\"; else echo \"Shard $k has left no "
        "$file.\" >&2; fi\n"
        "done\n");
}

const char *batch_merge_dependency(const struct batch_request *r)
{
    return r->merge_words ? r->merge_words->dependency : NULL;
}

/* What is there is merged and reported; the status says whether it is all. */
enum status batch_merge(const struct batch_request *r, struct batch *b, struct message *m)
{
    batch_option(b, "--job-name=%s" BATCH_MERGE_ENDING, r->name);
    batch_option(b, "--ntasks=1");
    add_common(b, r, r->merge_words ? r->merge_words : r->words, 0);
    begin_script(b, r, "the shares of a sweep become one results file.", "$SLURM_JOB_ID");
    text_add_shell(&b->script, r->db);
    text_add(&b->script, "\n");
    batch_add_queueing(&b->script);
    list_shards(b, r);
    batch_add_function(&b->script, r);
    text_add(&b->script,
             "program merge --whole --into \"$db\" -- \"$@\"\n"
             "status=$?\n"
             "case $status in\n"
             "0) program report --db \"$db\" -- %s; status=$? ;;\n"
             "1) program report --db \"$db\" -- %s ;; # of what is there\n"
             "4) wait_for_holder ;;\n"
             "esac\n"
             "exit \"$status\"\n",
             r->name, r->name);
    return finished(b, m);
}

void batch_show(const struct batch *b, const char *more, struct text_buffer *out)
{
    text_add(out, "sbatch");
    for (int i = 0; i < b->options; i++) {
        text_add(out, " ");
        text_add_shell(out, b->option[i]);
    }
    text_add(out, "%s", more);
    add_here_document(out, "END_OF_JOB", "", b->script.text);
}
