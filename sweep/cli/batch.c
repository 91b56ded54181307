/* The Slurm jobs that run a sweep: words for sbatch, and scripts. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/status.h"
#include "engine/base/text.h"
#include "sweep/cli/batch.h"
#include "sweep/db/shard_files.h"
#include "sweep/hosts/host.h"
#include "sweep/hosts/slurm.h"
#include "sweep/hosts/subprocess.h"

/* ---- words for sbatch ---- */

void sbatch_words_add(struct scope *x, struct sbatch_words *w, const char *word)
{
    w->word = arena_grow(&x->arena, w->word, (size_t)w->count, sizeof *w->word);
    w->word[w->count++] = word;
}

static _Noreturn void refuse_character(struct scope *x, char c, const char *text)
{
    char shown[256];
    text_shown(text, shown, sizeof shown);
    scope_fail(x, STATUS_BAD_INPUT,
               "'%c' in the options \"%s\" means something to a shell, but no shell reads "
               "them; put a backslash before it, or the word in '...'",
               c, shown);
}

/* Reads one word from *at on into `word`, which has room for all of the text; *at stands behind it
 * then. */
static void next_word(struct scope *x, const char **at, const char *text, char *word)
{
    char quote = 0;
    const char *c = *at;
    for (; *c && (quote || !strchr(" \t\n", *c)); c++) {
        if (*c == quote) {
            quote = 0;
        } else if (!quote && (*c == '\'' || *c == '"')) {
            quote = *c;
        } else if (quote != '\'' && *c == '\\' && c[1] && (!quote || strchr("$`\"\\", c[1]))) {
            *word++ = *++c;
        } else if (quote != '\'' && strchr(quote ? "$`" : "$`*?[;&|<>(){}", *c)) {
            refuse_character(x, *c, text);
        } else {
            *word++ = *c;
        }
    }
    *word = '\0';
    *at = c;
    if (!quote)
        return;
    char shown[256];
    text_shown(text, shown, sizeof shown);
    scope_fail(x, STATUS_BAD_INPUT, "a %c in the options \"%s\" has no end; close it", quote,
               shown);
}

void sbatch_words_split(struct scope *x, struct sbatch_words *w, const char *text)
{
    const char *at = text;
    while (*(at += strspn(at, " \t\n"))) {
        char *word = arena_alloc(&x->arena, strlen(at) + 1, 1);
        next_word(x, &at, text, word);
        sbatch_words_add(x, w, word);
    }
}

/* ---- what is submit's own matter ---- */

/* Whether a word is a long option, perhaps cut as getopt allows it: the value behind its '=', or
 * "", or NULL where it is none. least: how much of the name makes it this one and no other. */
static const char *long_value(const char *word, const char *name, size_t least)
{
    size_t length = strcspn(word, "=");
    if (strncmp(word, "--", 2) != 0 || length < least + 2 || length > strlen(name) + 2 ||
        strncmp(word + 2, name, length - 2) != 0)
        return NULL;
    return word + length;
}

static bool is_short(const char *word, char letter)
{
    return word[0] == '-' && word[1] == letter;
}

/* Of --dependency: how many words it is, its value in *value; 0 where it is another option. */
static int dependency_words(const struct sbatch_words *w, int i, const char **value)
{
    enum { LEAST = 3 }; /* "--deadline", "--delay-boot" */
    const char *word = w->word[i];
    const char *behind = long_value(word, "dependency", LEAST);
    if (!behind && !is_short(word, 'd'))
        return 0;
    *value = behind ? behind + (*behind == '=') : word + 2;
    if (**value || (behind && *behind))
        return 1;
    *value = i + 1 < w->count ? w->word[i + 1] : "";
    return i + 1 < w->count ? 2 : 1;
}

/* Refuses what submit alone decides: by names and comments `status` and later submits know the jobs
 * of a results file. */
static void refuse_own(struct scope *x, const char *word)
{
    enum { ARRAY_MIN = 2, NAME_MIN = 4, COMMENT_MIN = 3 }; /* "--jobid", "--constraint" */
    if (long_value(word, "array", ARRAY_MIN) || is_short(word, 'a'))
        scope_fail(x, STATUS_BAD_INPUT,
                   "with sbatch's own --array every task would run the whole sweep; use "
                   "`headcount submit --array N`, or --array N%%M for M tasks at a time");
    bool name = long_value(word, "job-name", NAME_MIN) || is_short(word, 'J');
    if (name || long_value(word, "comment", COMMENT_MIN))
        scope_fail(x, STATUS_BAD_INPUT,
                   "sbatch's %s cannot be given, because headcount uses it to find its own "
                   "jobs; %s",
                   name ? "--job-name" : "--comment",
                   name ? "set the name of the sweep instead (--set name=NAME)" : "leave it out");
}

void sbatch_words_settle(struct scope *x, struct sbatch_words *w)
{
    int kept = 0;
    for (int i = 0, words; i < w->count; i += words) {
        const char *word = w->word[i], *value = NULL;
        bool wait = strcmp(word, "--wait") == 0 || strcmp(word, "-W") == 0;
        words = dependency_words(w, i, &value);
        w->wait |= wait;
        if (words > 0) {
            w->dependency = value;
            continue;
        }
        words = 1;
        refuse_own(x, word);
        if (!wait)
            w->word[kept++] = word;
    }
    w->count = kept;
}

/* ---- what comes before the program ---- */

/* An agent gets the lines as one word, quoted twice, of a command line: 128 KiB at most. */
enum { LINES_MAX = 16 << 10 };

/* Lines as scripts may have them: Slurm takes none that ends with "\r\n". */
static void add_lines(struct text_buffer *b, const char *text)
{
    for (; *text; text++)
        if (text[0] != '\r' || text[1] != '\n')
            text_add(b, "%c", *text);
    if (b->used && b->text[b->used - 1] != '\n')
        text_add(b, "\n");
}

static void add_file(struct scope *x, struct text_buffer *b, const char *file)
{
    void *bytes = NULL;
    size_t size = 0;
    char shown[256];
    text_shown(file, shown, sizeof shown);
    if (access(file, R_OK) != 0)
        scope_fail(x, STATUS_BAD_INPUT, "--setup: %s: %s", shown, strerror(errno));
    scope_check(x, file_read(file, LINES_MAX, &bytes, &size, x->message));
    arena_on_free(&x->arena, free, bytes);
    if (memchr(bytes, 0, size))
        scope_fail(x, STATUS_BAD_INPUT,
                   "--setup: %s has a NUL byte; give a file of lines for the shell", shown);
    add_lines(b, bytes);
}

/* What a job would find hours later: a quote that does not end, an if without its fi. */
static void check_lines(struct scope *x, const char *lines)
{
    char *const argv[] = {(char *)"bash", (char *)"-n", NULL};
    struct text_buffer script = scope_text(x), said = scope_text(x);
    text_add(&script, "( %s:\n)\n", lines); /* a here-document without its end would take the ")" */
    struct subprocess bash = {.argv = argv,
                              .input = script.text,
                              .input_size = script.used,
                              .patience_ms = SUBPROCESS_FOREVER};
    scope_check(x, subprocess_run(&bash, &said, x->message));
    if (!bash.succeeded)
        scope_fail(x, STATUS_BAD_INPUT,
                   "--setup: bash cannot read these lines, and says why above; correct them");
}

const char *batch_read_setup(struct scope *x, const char *file, const struct command_texts *lines)
{
    struct text_buffer b = scope_text(x);
    if (file)
        add_file(x, &b, file);
    for (int i = 0; i < lines->count; i++)
        add_lines(&b, lines->item[i]);
    if (b.used > LINES_MAX)
        scope_fail(x, STATUS_BAD_INPUT,
                   "--setup: the lines have %zu bytes, and a job carries at most %d; keep them in "
                   "a file, and give --setup-line '. /path/of/it'",
                   b.used, LINES_MAX);
    if (b.used)
        check_lines(x, b.text);
    return b.used ? b.text : NULL;
}

/* Adds the program with what the user wants before it; its arguments follow. */
static void add_program(struct text_buffer *b, const struct batch_request *r)
{
    if (r->setup) { /* lines that change the folder are not to move the results */
        text_add(b, "%ssh -c 'cd \"$0\" && exec \"$@\"' ", r->setup);
        text_add_shell(b, r->folder);
        text_add(b, " ");
    }
    text_add_shell(b, r->program);
}

/* Adds the same as a function of the shell, `program`, for scripts that call it more than once.
 * What those lines do to the shell ends with the call. */
static void add_function(struct text_buffer *b, const struct batch_request *r)
{
    text_add(b, "program() (\n");
    if (r->setup) {
        text_add(b, "arguments=(\"$@\")\n"
                    "set --\n");
        add_program(b, r);
        text_add(b, " \"${arguments[@]}\"\n");
    } else {
        text_add(b, "    ");
        add_program(b, r);
        text_add(b, " \"$@\"\n");
    }
    text_add(b, ")\n");
}

/* Adds the options of run that say how agents are started. */
static void add_launch(struct batch *b, const struct batch_request *r)
{
    struct text_buffer words = scope_text(b->scope);
    const char *command = r->launch ? r->launch : "slurm";
    const struct host_agent agent = {
        .program = r->program, .words = r->agent, .setup = r->setup ? r->setup : ""};
    text_add(&b->script, " --launch ");
    text_add_shell(&b->script, command);
    if (!r->setup && !r->agent)
        return;
    host_add_agent(&words, command, &agent);
    text_add(&b->script, " --agent ");
    text_add_shell(&b->script, words.text);
}

/* ---- the queue ---- */

/* Adds two functions of the shell, for a script that has set $job, the job's number, and $db, the
 * results file. `requeue` puts a job back into the queue that Slurm lets run. `wait_for_holder`
 * does so where $db is held by another process, to begin again when the job of that process has
 * ended, or, where that is none of Slurm, in five minutes; a day long.
 *
 * Once a job is requeued Slurm sends SIGTERM to all that runs in it, and KillWait seconds (30)
 * later SIGKILL. Until then it takes changes of the job, which before that it would refuse, as the
 * job was running. Without them the job would begin again after about two minutes. */
static void add_queueing(struct text_buffer *b)
{
    enum { TRIES = 288 }; /* a day, at five minutes each */
    text_add(
        b,
        "# Back into the queue, but for a job that Slurm itself ends (scancel, preemption): it is\n"
        "# not RUNNING any more (-t: whatever SQUEUE_STATES says). What is requeued gets SIGTERM, "
        "with\n"
        "# all that this script starts.\n"
        "requeue() {\n"
        "    [ \"$(squeue -h -t all -o %%T -j \"$job\")\" = RUNNING ] || return\n"
        "    trap '' TERM\n"
        "    scontrol requeue \"$job\"\n"
        "}\n"
        "# Another process holds the results file: this job begins again when its job has ended.\n"
        "wait_for_holder() {\n"
        "    holder=$([ ! -f \"$db.lock\" ] || head -c 300 <\"$db.lock\" |\n"
        "        sed -n '1s/.*, job \\([0-9]*\\) of Slurm$/\\1/p')\n"
        "    [ \"$holder\" != \"$SLURM_JOB_ID\" ] || holder= # it was this job\n"
        "    if [ \"${SLURM_RESTART_COUNT:-0}\" -ge %d ]; then\n"
        "        echo \"This job has come back %d times and is not tried again.\" >&2\n"
        "        return\n"
        "    fi\n"
        "    requeue || return\n"
        "    if [ \"$holder\" ] &&\n"
        "        scontrol update jobid=\"$job\" dependency=\"afterany:$holder\"; then\n"
        "        echo \"This job begins again when job $holder has ended.\" >&2\n"
        "    else\n"
        "        scontrol update jobid=\"$job\" starttime=now+300 &&\n"
        "            echo \"This job is tried again in 5 minutes, %d times at most.\" >&2\n"
        "    fi\n"
        "}\n",
        TRIES, TRIES, TRIES);
}

/* ---- the jobs ---- */

/* Seconds before the time limit at which Slurm says so: a run needs up to STOP_WITHIN_S to stop. */
#define BATCH_SIGNAL "--signal=B:USR1@60"

static struct batch *batch_new(struct scope *x)
{
    struct batch *b = arena_alloc(&x->arena, 1, sizeof *b);
    *b = (struct batch){.scope = x, .script = scope_text(x)};
    return b;
}

void batch_option(struct batch *b, const char *format, ...)
{
    struct arena *a = &b->scope->arena;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = arena_alloc(a, (size_t)length + 1, 1);
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    b->option = arena_grow(a, b->option, (size_t)b->options, sizeof text);
    b->option[b->options++] = text;
    b->option = arena_grow(a, b->option, (size_t)b->options, sizeof text);
    b->option[b->options] = NULL;
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
    if (!comment)
        scope_leave(b->scope, status_no_memory(b->scope->message, "a job"));
    batch_option(b, "--comment=%s", comment);
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
    add_queueing(b);
    text_add(b, "run= early= stopped=\n"
                "trap 'stopped=yes; if [ \"$run\" ]; then kill -USR1 \"$run\"; else early=yes; fi' "
                "USR1\n"
                "trap 'stopped=yes' TERM\n");
    if (once)
        add_once(b, r);
    add_program(b, r);
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
    char mark[64];
    int length = snprintf(mark, sizeof mark, "%s", end);
    while (strstr(text, mark) && length < (int)sizeof mark - 1)
        length += snprintf(mark + length, sizeof mark - (size_t)length, "_");
    text_add(b, " <<'%s'%s\n%s%s%s\n", mark, more, text,
             text[0] && text[strlen(text) - 1] != '\n' ? "\n" : "", mark);
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

struct batch *batch_run(struct scope *x, const struct batch_request *r)
{
    struct batch *b = batch_new(x);
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
    add_launch(b, r);
    end_run(&b->script, r);
    return b;
}

/* The file of a shard as a word of the shell, which has the number in a variable. */
static void add_shard(struct batch *b, const struct batch_request *r, const char *variable)
{
    size_t length = shard_file_stem(r->db);
    struct text_buffer stem = scope_text(b->scope);
    text_add_bytes(&stem, r->db, length);
    text_add_shell(&b->script, stem.text);
    text_add(&b->script, "-\"$%s\"-of-%ld%s", variable, r->array, r->db + length);
}

struct batch *batch_shards(struct scope *x, const struct batch_request *r)
{
    struct batch *b = batch_new(x);
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
    return b;
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
struct batch *batch_merge(struct scope *x, const struct batch_request *r)
{
    struct batch *b = batch_new(x);
    batch_option(b, "--job-name=%s" BATCH_MERGE_ENDING, r->name);
    batch_option(b, "--ntasks=1");
    add_common(b, r, r->merge_words ? r->merge_words : r->words, 0);
    begin_script(b, r, "the shares of a sweep become one results file.", "$SLURM_JOB_ID");
    text_add_shell(&b->script, r->db);
    text_add(&b->script, "\n");
    add_queueing(&b->script);
    list_shards(b, r);
    add_function(&b->script, r);
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
    return b;
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
