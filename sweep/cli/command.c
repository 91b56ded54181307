/* What all sub-commands share: their table, their errors, the results file that they read. */
#include "sweep/cli/command.h"

#include <stdarg.h>
#include <string.h>

#include "engine/base/text.h"
#include "sweep/trials/trials.h"

const struct command command_table[] = {
#define COMMAND(name, usage, summary) {#name, usage, summary, command_##name},
#include "sweep/cli/commands.def"
#undef COMMAND
    {NULL, "", "", NULL},
};

static int exit_status_of(enum status s)
{
    switch (s) {
    case STATUS_OK:
        return EXIT_DONE;
    case STATUS_DIVERGED:
        return EXIT_SOME_FAILED;
    case STATUS_BAD_INPUT:
        return EXIT_USAGE;
    case STATUS_BUSY:
        return EXIT_BUSY;
    case STATUS_INTERRUPTED:
        return EXIT_RESUMABLE;
    case STATUS_DISK_FULL:
    case STATUS_IO:
    case STATUS_CORRUPT:
    case STATUS_NO_MEMORY:
    case STATUS_INTERNAL:
        break;
    }
    return EXIT_SYSTEM;
}

int command_fail(const char *name, enum status s, const struct message *m)
{
    text_print(stderr, "headcount %s: %s\n", name, m->text[0] ? m->text : "internal error");
    return exit_status_of(s);
}

int command_usage(const char *name, const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "headcount %s: ", name);
    va_start(arguments, format);
    text_vprint(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\nTry 'headcount %s --help'.\n", name);
    return EXIT_USAGE;
}

int command_missing(const char *name, const char *action, const char *usage, int given)
{
    const char *word = usage;
    for (; given > 0 && *word; given--) {
        word += strcspn(word, " ");
        word += strspn(word, " ");
    }
    return command_usage(name, "no %.*s given; usage: headcount %s%s%s %s", (int)strcspn(word, " "),
                         word, name, action ? " " : "", action ? action : "", usage);
}

int command_read_as(const char *name, const char *db, enum store_mode mode, command_read *read,
                    void *context)
{
    struct message m = {{0}};
    struct store *s;
    enum status status = store_open(db, mode, &s, &m);
    if (status != STATUS_OK)
        return command_fail(name, status, &m);
    struct scope *x = scope_new(s, "what the results file has", &m);
    if (scope_enter(x))
        read(x, context);
    status = scope_end(x);
    status = store_close_after(s, status, &m);
    return status == STATUS_OK ? EXIT_DONE : command_fail(name, status, &m);
}

int command_read_store(const char *name, const char *db, command_read *read, void *context)
{
    return command_read_as(name, db, STORE_READ, read, context);
}

const struct command *command_find(const char *name)
{
    const struct command *c = command_table;
    while (c->name && strcmp(c->name, name) != 0)
        c++;
    return c->name ? c : NULL;
}
