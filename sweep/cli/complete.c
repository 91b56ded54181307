/* What the shell's completion asks for, as `headcount complete WHAT ...`: a hidden command, so that
 * completion.bash knows no name by heart. */
#include <stdio.h>
#include <string.h>

#include "engine/base/text.h"
#include "sweep/cli/command.h"
#include "sweep/db/rows.h"
#include "sweep/plan/config.h"

static void print_commands(void)
{
    for (const struct command *c = command_table; c->name; c++)
        puts(c->name);
}

static void print_options(const char *name)
{
    char list[] = COMMAND_LIST_OPTIONS;
    const struct command *c = command_find(name);
    if (c)
        c->main(2, (char *[]){(char *)name, list, NULL});
}

/* For the man page. */
static void print_terms(void)
{
#define TERM(name, meaning) printf("%s\t%s\n", name, meaning);
#include "sweep/cli/terms.def"
#undef TERM
}

static bool is_top(const struct config_name *name)
{
    return name->kind != CONFIG_OPTION && !strchr(name->path, '.');
}

/* What each key is. */
static void print_help(const struct config_name *names)
{
    for (; names->path; names++)
        if (is_top(names))
            printf("%s\t%s\n", names->path, names->value->help);
}

/* Keys, those within keys, options. Of a section, what stands under it is named instead. */
static void print_keys(const struct config_name *names)
{
    for (const struct config_name *name = names; name->path; name++)
        if (is_top(name) && name->kind == CONFIG_KEY)
            puts(name->path);
    for (const struct config_name *name = names; name->path; name++)
        if (name->kind == CONFIG_KEY && !is_top(name))
            puts(name->path);
    for (const struct config_name *name = names; name->path; name++)
        if (name->kind == CONFIG_OPTION && !name->value->derived)
            puts(name->path);
}

static void print_tasks(void)
{
    for (const struct task *const *t = task_table; *t; t++)
        puts((*t)->name);
}

static void print_values(const struct config_name *names, const char *path)
{
    const struct config_name *name = config_name_find(names, path);
    const struct option_entry *value = name ? name->value : NULL;
    if (value && value->type == OPTION_BOOL)
        puts("true\nfalse");
    for (int i = 0; value && value->words && value->words[i]; i++)
        puts(value->words[i]);
}

/* The first column of sql, in which ?1 is `prefix`, from a results file that may not be there. */
static void print_rows(const char *db, const char *sql, const char *prefix)
{
    struct store *s;
    struct message m;
    if (store_open(db, STORE_READ, &s, &m) != STATUS_OK)
        return;
    struct rows r = rows_open(s, &m, sql, VALUES(TEXT(prefix)));
    while (rows_next(&r)) {
        text_plain(stdout, rows_text(&r, 0));
        putchar('\n');
    }
    rows_close(&r);
    store_close(s, NULL);
}

/* Prints one candidate a line and nothing else; where there is nothing to offer, nothing. argv[0]
 * is "complete":
 *
 *   commands             names of commands
 *   options COMMAND      its long options, "--db=" where one takes a value
 *   help                 keys of a sweep file, each with a tab and what it is, for manual.sh
 *   keys                 what --set may name: keys of a sweep file, full paths of options
 *   values KEY           the words that this option may have
 *   tasks                names of tasks
 *   sweeps DB            sweeps of a results file
 *   trials DB DIGITS     its trials whose number begins with these digits, some of them
 *
 * Always returns EXIT_DONE: a shell has no use for complaints. */
int command_complete(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    const char *of = argc > 2 ? argv[2] : "";
    struct arena a;
    arena_init(&a, NULL);
    const struct config_name *names = config_names(&a);
    if (strcmp(what, "commands") == 0)
        print_commands();
    else if (strcmp(what, "options") == 0)
        print_options(of);
    else if (strcmp(what, "help") == 0)
        print_help(names);
    else if (strcmp(what, "terms") == 0)
        print_terms();
    else if (strcmp(what, "keys") == 0)
        print_keys(names);
    else if (strcmp(what, "values") == 0)
        print_values(names, of);
    else if (strcmp(what, "tasks") == 0)
        print_tasks();
    else if (strcmp(what, "sweeps") == 0)
        print_rows(of, "SELECT name FROM sweep WHERE name GLOB ?1 || '*' ORDER BY name", "");
    else if (strcmp(what, "trials") == 0)
        print_rows(of,
                   "SELECT trial_id FROM trial WHERE trial_id GLOB ?1 || '*' ORDER BY trial_id"
                   " LIMIT 1000",
                   argc > 3 ? argv[3] : "");
    arena_free(&a);
    return EXIT_DONE;
}
