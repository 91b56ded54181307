/* What the user wants before the program, in the jobs' scripts and before agents. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "sweep/cli/batch.h"
#include "sweep/hosts/host.h"
#include "sweep/hosts/subprocess.h"

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

static enum status add_file(struct text_buffer *b, const char *file, struct message *m)
{
    void *bytes = NULL;
    size_t size = 0;
    char shown[256];
    text_shown(file, shown, sizeof shown);
    if (access(file, R_OK) != 0)
        return status_fail(m, STATUS_BAD_INPUT, "--setup: %s: %s", shown, strerror(errno));
    enum status s = file_read(file, LINES_MAX, &bytes, &size, m);
    if (s == STATUS_OK && memchr(bytes, 0, size))
        s = status_fail(m, STATUS_BAD_INPUT,
                        "--setup: %s has a NUL byte; give a file of lines for the shell", shown);
    if (s == STATUS_OK)
        add_lines(b, bytes);
    free(bytes);
    return s;
}

/* What a job would find hours later: a quote that does not end, an if without its fi. */
static enum status check_lines(const char *lines, struct message *m)
{
    char *const argv[] = {(char *)"bash", (char *)"-n", NULL};
    struct text_buffer script = {0}, said = {0};
    text_add(&script, "( %s:\n)\n", lines); /* a here-document without its end would take the ")" */
    struct subprocess bash = {.argv = argv,
                              .input = script.text,
                              .input_size = script.used,
                              .patience_ms = SUBPROCESS_FOREVER};
    enum status s = script.out_of_memory ? status_no_memory(m, "the lines of --setup")
                                         : subprocess_run(&bash, &said, m);
    free(script.text);
    free(said.text);
    if (s == STATUS_OK && !bash.succeeded)
        s = status_fail(m, STATUS_BAD_INPUT,
                        "--setup: bash cannot read these lines, and says why above; correct them");
    return s;
}

enum status batch_read_setup(const char *file, const struct command_texts *lines, char **setup,
                             struct message *m)
{
    struct text_buffer b = {0};
    enum status s = file ? add_file(&b, file, m) : STATUS_OK;
    for (int i = 0; s == STATUS_OK && i < lines->count; i++)
        add_lines(&b, lines->item[i]);
    if (s == STATUS_OK && b.out_of_memory)
        s = status_no_memory(m, "the lines of --setup");
    if (s == STATUS_OK && b.used > LINES_MAX)
        s = status_fail(m, STATUS_BAD_INPUT,
                        "--setup: the lines have %zu bytes, and a job carries at most %d; keep "
                        "them in a file, and give --setup-line '. /path/of/it'",
                        b.used, LINES_MAX);
    if (s == STATUS_OK && b.used)
        s = check_lines(b.text, m);
    if (s != STATUS_OK) {
        free(b.text);
        b.text = NULL;
    }
    *setup = b.text;
    return s;
}

void batch_add_program(struct text_buffer *b, const struct batch_request *r)
{
    if (r->setup) { /* lines that change the folder are not to move the results */
        text_add(b, "%ssh -c 'cd \"$0\" && exec \"$@\"' ", r->setup);
        text_add_shell(b, r->folder);
        text_add(b, " ");
    }
    text_add_shell(b, r->program);
}

void batch_add_function(struct text_buffer *b, const struct batch_request *r)
{
    text_add(b, "program() (\n");
    if (r->setup) {
        text_add(b, "arguments=(\"$@\")\n"
                    "set --\n");
        batch_add_program(b, r);
        text_add(b, " \"${arguments[@]}\"\n");
    } else {
        text_add(b, "    ");
        batch_add_program(b, r);
        text_add(b, " \"$@\"\n");
    }
    text_add(b, ")\n");
}

void batch_add_launch(struct text_buffer *b, const struct batch_request *r)
{
    struct text_buffer words = {0};
    const char *command = r->launch ? r->launch : "slurm";
    const struct host_agent agent = {
        .program = r->program, .words = r->agent, .setup = r->setup ? r->setup : ""};
    text_add(b, " --launch ");
    text_add_shell(b, command);
    if (!r->setup && !r->agent)
        return;
    host_add_agent(&words, command, &agent);
    text_add(b, " --agent ");
    text_add_shell(b, words.text ? words.text : "");
    b->out_of_memory |= words.out_of_memory;
    free(words.text);
}
