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

static void print_table(const char *section, const struct option_entry *table)
{
    for (const struct option_entry *o = table; o->name; o++)
        printf("%s.%s\n", section, o->name);
}

/* Tasks share names of options: each is printed once. */
static void print_task_options(void)
{
    for (const struct task *const *t = task_table; *t; t++) {
        for (const struct option_entry *o = (*t)->options; o->name; o++) {
            const struct task *const *first = task_table;
            while (!option_find((*first)->options, o->name))
                first++;
            if (first == t && !o->derived)
                printf("task.%s\n", o->name);
        }
    }
}

static void print_keys(void)
{
    for (const char *const *key = config_keys; *key; key++)
        if (strcmp(*key, "task") != 0 && strcmp(*key, "model") != 0 && strcmp(*key, "train") != 0)
            puts(*key); /* of the sections, what stands under them follows */
    for (const struct config_mapping *map = config_mappings; map->path; map++)
        for (int i = 0; map->key[i]; i++)
            printf("%s.%s\n", map->path, map->key[i]);
    puts("task.name");
    print_task_options();
    print_table("model", encoder_options);
    print_table("train", train_options);
}

static void print_tasks(void)
{
    for (const struct task *const *t = task_table; *t; t++)
        puts((*t)->name);
}

/* The option of that full path, in the first task that has it; NULL if there is none. */
static const struct option_entry *option_of(const char *path)
{
    const char *name = strchr(path, '.');
    const struct option_entry *o = NULL;
    if (name && strncmp(path, "model.", 6) == 0)
        return option_find(encoder_options, name + 1);
    if (name && strncmp(path, "train.", 6) == 0)
        return option_find(train_options, name + 1);
    for (const struct task *const *t = task_table; name && !o && *t; t++)
        o = option_find((*t)->options, name + 1);
    return o;
}

static void print_metrics(const char *key)
{
    for (int i = 0; i < METRICS; i++) {
        if (strcmp(key, "name") == 0)
            puts(metric_name((enum metric)i));
        else if (strcmp(key, "goal") == 0)
            puts(metric_goal((enum metric)i));
    }
}

static void print_values(const char *key)
{
    const struct option_entry *o = option_of(key);
    if (strcmp(key, "task.name") == 0)
        print_tasks();
    else if (strcmp(key, "method") == 0)
        puts("grid\nrandom");
    else if (strncmp(key, "metric.", strlen("metric.")) == 0)
        print_metrics(key + strlen("metric."));
    else if (o && o->type == OPTION_BOOL)
        puts("true\nfalse");
    for (int i = 0; o && o->words && o->words[i]; i++)
        puts(o->words[i]);
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
    if (strcmp(what, "commands") == 0)
        print_commands();
    else if (strcmp(what, "options") == 0)
        print_options(of);
    else if (strcmp(what, "help") == 0)
        for (int i = 0; config_keys[i]; i++)
            printf("%s\t%s\n", config_keys[i], config_key_help[i]);
    else if (strcmp(what, "terms") == 0)
        print_terms();
    else if (strcmp(what, "keys") == 0)
        print_keys();
    else if (strcmp(what, "values") == 0)
        print_values(of);
    else if (strcmp(what, "tasks") == 0)
        print_tasks();
    else if (strcmp(what, "sweeps") == 0)
        print_rows(of, "SELECT name FROM sweep WHERE name GLOB ?1 || '*' ORDER BY name", "");
    else if (strcmp(what, "trials") == 0)
        print_rows(of,
                   "SELECT trial_id FROM trial WHERE trial_id GLOB ?1 || '*' ORDER BY trial_id"
                   " LIMIT 1000",
                   argc > 3 ? argv[3] : "");
    return EXIT_DONE;
}
