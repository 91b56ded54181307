/* The options of a sub-command: read by getopt_long, shown by --help, listed for completion,
 * refused with a hint. */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/number.h"
#include "engine/base/option.h"
#include "sweep/cli/command.h"
#include "sweep/plan/config.h"

/* getopt's value of the i-th long option: above all letters. */
enum { LONG_BASE = 256, OPTIONS_MAX = 96, PAGE_WIDTH = 96, HELP_COLUMN = 28 };

static int option_total(const struct command_syntax *s)
{
    int n = 0;
    while (s->options[n].name)
        n++;
    return n;
}

/* As getopt_long calls it. */
static int takes(const struct command_option *o)
{
    return o->kind == COMMAND_FLAG || o->kind == COMMAND_FORMAT ? no_argument
           : o->kind == COMMAND_MAYBE_TEXT                      ? optional_argument
                                                                : required_argument;
}

/* The rest of a line that is at `column`, and as many more as it takes, starting there too. */
static void print_words(const char *text, int column)
{
    int at = column;
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (at + 1 + length > PAGE_WIDTH && at > column) {
            printf("\n%*s", column, "");
            at = column;
        }
        printf(" %.*s", length, text);
        at += 1 + length;
        text += length;
        text += strspn(text, " ");
    }
    putchar('\n');
}

static void print_option(char letter, const char *name, const char *argument, const char *help)
{
    char left[64];
    char prefix[8] = "    ";
    if (letter)
        snprintf(prefix, sizeof prefix, "-%c, ", letter);
    snprintf(left, sizeof left, "%s--%s%s%s", prefix, name,
             argument && argument[0] != '[' ? "=" : "", argument ? argument : "");
    printf("  %-26s", left);
    print_words(help, HELP_COLUMN);
}

/* PREFIX/share/headcount/configs/ of PREFIX/bin/headcount; in a checkout "configs/". */
static const char *configs_folder(char folder[PATH_MAX])
{
    static const char beside[] = "/../share/headcount/configs";
    ssize_t n = readlink("/proc/self/exe", folder, PATH_MAX - sizeof beside);
    folder[n > 0 ? n : 0] = '\0';
    char *end = strrchr(folder, '/');
    if (!end)
        return "configs/";
    memcpy(end, beside, sizeof beside);
    char *found = realpath(folder, NULL);
    if (!found)
        return "configs/";
    snprintf(folder, PATH_MAX, "%s/", found);
    free(found);
    return folder;
}

void command_print_examples(const char *examples)
{
    static const char named[] = "configs/";
    char folder[PATH_MAX];
    const char *there = configs_folder(folder), *at;
    printf("\nExamples:\n");
    for (; (at = strstr(examples, named)); examples = at + strlen(named))
        printf("%.*s%s", (int)(at - examples), examples, there);
    fputs(examples, stdout);
}

static void print_help(const struct command_syntax *s)
{
    const struct command *c = command_find(s->name);
    printf("Usage: headcount %s\n\n", c->usage);
    printf("%c%s.\n", c->summary[0] - ('a' <= c->summary[0] && c->summary[0] <= 'z' ? 32 : 0),
           c->summary + 1);
    if (s->details)
        printf("\n%s", s->details);
    printf("\nOptions:\n");
    for (const struct command_option *o = s->options; o->name; o++)
        print_option(o->letter, o->name, o->argument, o->help);
    print_option('h', "help", NULL, "print this and exit");
    command_print_examples(s->examples);
}

static void list_options(const struct command_syntax *s)
{
    for (const struct command_option *o = s->options; o->name; o++)
        printf("--%s%s\n", o->name, takes(o) == required_argument ? "=" : "");
    puts("--help");
}

/* What other programs call an option of this command; NULL if nothing. */
static const char *other_name(const char *typed, const char *const *names)
{
    static const char *const others[][2] = {{"jobs", "workers"},     {"threads", "workers"},
                                            {"parallel", "workers"}, {"silent", "quiet"},
                                            {"database", "db"},      {"file", "db"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        for (const char *const *name = names; *name && strcmp(others[i][0], typed) == 0; name++)
            if (strcmp(*name, others[i][1]) == 0)
                return *name;
    return NULL;
}

static int refuse_unknown(const struct command_syntax *s, const char *option)
{
    if (s->others)
        return command_usage(s->name, "unknown option '%s'; %s", option, s->others);
    return command_usage(s->name, "unknown option '%s'", option);
}

/* Whether the command takes keys of the sweep file, and the option is one: then it is refused with
 * how to set it. next: what follows the option, or NULL. */
static bool refuse_key(const struct command_syntax *s, const char *typed, const char *next,
                       int *exit_status)
{
    char word[64], path[CONFIG_PATH_SIZE];
    const char *value = strchr(typed, '=');
    bool takes = false;
    for (const struct command_option *o = s->options; o->name; o++)
        takes = takes || strcmp(o->name, "set") == 0;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(typed, "="), typed);
    for (char *c = word; *c; c++)
        *c = *c == '-' ? '_' : *c;
    if (!takes || !config_key_meant(word, path))
        return false;
    value = value ? value + 1 : next && next[0] != '-' ? next : "VALUE";
    *exit_status = command_usage(
        s->name, "unknown option '--%.*s'; %s%skeys of the sweep file are given as --set %s=%s",
        (int)strcspn(typed, "="), typed, s->others ? s->others : "", s->others ? "; " : "", path,
        value);
    return true;
}

/* The word that getopt refused, named with its nearest known neighbour. */
static int refuse_option(const struct command_syntax *s, const char *typed, const char *next)
{
    const char *names[OPTIONS_MAX + 2];
    char bare[64];
    int exit_status;
    int n = 0;
    for (const struct command_option *o = s->options; o->name; o++)
        names[n++] = o->name;
    names[n++] = "help";
    names[n] = NULL;
    if (strncmp(typed, "--", 2) != 0)
        return refuse_unknown(s, typed);
    snprintf(bare, sizeof bare, "%.*s", (int)strcspn(typed + 2, "="), typed + 2);
    if (strcmp(s->name, "run") == 0 && strcmp(bare, "dry-run") == 0)
        return command_usage(s->name,
                             "unknown option '--dry-run'; headcount plan says what would run");
    const char *near = other_name(bare, names);
    if (!near && refuse_key(s, typed + 2, next, &exit_status))
        return exit_status;
    if (!near)
        near = nearest_name(bare, names);
    if (near)
        return command_usage(s->name, "unknown option '--%s'; did you mean '--%s'?", bare, near);
    snprintf(bare, sizeof bare, "%.*s", (int)strcspn(typed, "="), typed);
    return refuse_unknown(s, bare);
}

static bool store_format(const struct command_syntax *s, const char *name,
                         enum report_format *format, int *exit_status)
{
    enum report_format chosen = strcmp(name, "csv") == 0    ? REPORT_CSV
                                : strcmp(name, "json") == 0 ? REPORT_JSON
                                                            : REPORT_MARKDOWN;
    bool first = *format == REPORT_TEXT || *format == chosen;
    *format = chosen;
    if (!first)
        *exit_status = command_usage(s->name, "give only one of --csv, --json and --markdown");
    return first;
}

static bool store_value(const struct command_syntax *s, const struct command_option *o,
                        const char *text, void *values, int *exit_status)
{
    char *member = (char *)values + o->offset;
    struct command_texts *list = (struct command_texts *)(void *)member;
    char *end;
    long n;
    double x;
    bool integral;
    switch (o->kind) {
    case COMMAND_FLAG:
        *(bool *)member = true;
        return true;
    case COMMAND_FORMAT:
        return store_format(s, o->name, (enum report_format *)(void *)member, exit_status);
    case COMMAND_TEXT:
    case COMMAND_FILE:
        *(const char **)(void *)member = text;
        return true;
    case COMMAND_MAYBE_TEXT:
        *(const char **)(void *)member = text ? text : "";
        return true;
    case COMMAND_LONG:
        n = strtol(text, &end, 10);
        if (text[0] < '0' || text[0] > '9' || *end || n < 1 || n > 1000000000) {
            *exit_status = command_usage(s->name, "--%s is '%s'; allowed: a whole number from 1",
                                         o->name, text);
            return false;
        }
        *(long *)(void *)member = n;
        return true;
    case COMMAND_REAL:
        if (!number_parse(text, &x, &integral) || x <= 0 || x > 1e9) {
            *exit_status =
                command_usage(s->name, "--%s is '%s'; allowed: a number above 0", o->name, text);
            return false;
        }
        *(double *)(void *)member = x;
        return true;
    case COMMAND_TEXTS:
        if (list->count == COMMAND_TEXTS_MAX) {
            *exit_status = command_usage(s->name, "--%s is given more than %d times", o->name,
                                         COMMAND_TEXTS_MAX);
            return false;
        }
        list->item[list->count++] = text;
        return true;
    }
    return false;
}

/* getopt's two tables. */
struct getopt_tables {
    char letters[2 * OPTIONS_MAX + 3];
    struct option longs[OPTIONS_MAX + 2];
};

static void tables_fill(const struct command_syntax *s, struct getopt_tables *t)
{
    size_t letters = 0;
    int n = option_total(s);
    t->letters[letters++] = ':'; /* tell a missing argument from an unknown option */
    for (int i = 0; i < n; i++) {
        const struct command_option *o = &s->options[i];
        t->longs[i] = (struct option){o->name, takes(o), NULL, LONG_BASE + i};
        if (o->letter) {
            t->letters[letters++] = o->letter;
            if (takes(o) == required_argument)
                t->letters[letters++] = ':';
        }
    }
    t->letters[letters++] = 'h';
    t->letters[letters] = '\0';
    t->longs[n] = (struct option){"help", no_argument, NULL, LONG_BASE + n};
    t->longs[n + 1] = (struct option){NULL, 0, NULL, 0};
}

/* Index of the option that getopt returned as c, or -1. */
static int option_index(const struct command_syntax *s, int c)
{
    if (c >= LONG_BASE)
        return c - LONG_BASE;
    if (c == 'h')
        return option_total(s);
    for (int i = 0; s->options[i].name; i++)
        if (s->options[i].letter == c)
            return i;
    return -1;
}

/* Refuses what getopt could not take: c is ':' or '?', optopt and argv say why. */
static int refuse(const struct command_syntax *s, int c, char **argv)
{
    int i = optopt ? option_index(s, optopt) : -1;
    const char *name = i < 0 ? NULL : i == option_total(s) ? "help" : s->options[i].name;
    if (c == ':' && name)
        return command_usage(s->name, "--%s needs a value: %s", name, s->options[i].argument);
    if (name)
        return command_usage(s->name, "--%s takes no value", name);
    if (optopt)
        return refuse_unknown(s, (char[]){'-', (char)optopt, '\0'});
    return refuse_option(s, argv[optind - 1], argv[optind]);
}

static bool count_arguments(const struct command_syntax *s, int argc, char **argv, int *arguments,
                            int *exit_status)
{
    *arguments = argc - optind;
    if (*arguments < s->least) {
        const char *usage = strchr(command_find(s->name)->usage, ' ');
        *exit_status = command_missing(s->name, NULL, usage ? usage + 1 : "", *arguments);
        return false;
    }
    if (*arguments > s->most) {
        *exit_status =
            command_usage(s->name, "one argument too many: '%s'", argv[optind + s->most]);
        return false;
    }
    return true;
}

/* Reads links from path on, up to a name that is none, as that of a file that is not there yet. */
static bool last_name(const char *path, char name[PATH_MAX])
{
    enum { LINKS_MAX = 40 }; /* as many as the kernel follows */
    char target[PATH_MAX];
    int length = snprintf(name, PATH_MAX, "%s", path);
    for (int i = 0; i < LINKS_MAX && length < PATH_MAX; i++) {
        ssize_t n = readlink(name, target, sizeof target - 1);
        if (n < 0)
            return errno == EINVAL || errno == ENOENT;
        target[n] = '\0';
        const char *slash = target[0] == '/' ? NULL : strrchr(name, '/');
        size_t kept = slash ? (size_t)(slash - name) + 1 : 0;
        length = (int)kept + snprintf(name + kept, PATH_MAX - kept, "%s", target);
    }
    return false;
}

/* Puts the real name of a file in the place of a symbolic link to it: lock and folder lie beside
 * the file, whatever name led there. */
static void follow_links(const struct command_syntax *s, void *values)
{
    static char real_name[PATH_MAX];
    struct stat link;
    for (const struct command_option *o = s->options; o->name; o++) {
        const char **file = (const char **)(void *)((char *)values + o->offset);
        if (o->kind == COMMAND_FILE && *file && lstat(*file, &link) == 0 && S_ISLNK(link.st_mode) &&
            (realpath(*file, real_name) || last_name(*file, real_name)))
            *file = real_name;
    }
}

static const struct command_option *option_called(const struct command_syntax *s, const char *name)
{
    const struct command_option *o = s->options;
    while (strcmp(o->name, name) != 0)
        o++;
    return o;
}

/* Whether it was given: those of which this is asked are NULL, 0 and false else. */
static bool is_given(const struct command_option *o, const void *values)
{
    static const char nothing[sizeof(long)];
    size_t size = o->kind == COMMAND_FLAG ? sizeof(bool) : sizeof(long);
    return memcmp((const char *)values + o->offset, nothing, size) != 0;
}

/* Refuses the first option that was given without the one that it needs. */
static bool find_needed(const struct command_syntax *s, const void *values, int *exit_status)
{
    for (const char *const(*pair)[2] = s->needs; pair && (*pair)[0]; pair++) {
        const struct command_option *needed = option_called(s, (*pair)[1]);
        if (!is_given(option_called(s, (*pair)[0]), values) || is_given(needed, values))
            continue;
        *exit_status =
            command_usage(s->name, "--%s needs --%s%s%s; give it too", (*pair)[0], needed->name,
                          needed->argument ? " " : "", needed->argument ? needed->argument : "");
        return false;
    }
    return true;
}

bool command_parse(const struct command_syntax *s, int argc, char **argv, void *values,
                   int *arguments, int *exit_status)
{
    struct getopt_tables t;
    int c;
    if (argc == 2 && strcmp(argv[1], COMMAND_LIST_OPTIONS) == 0) {
        list_options(s);
        *exit_status = EXIT_DONE;
        return false;
    }
    tables_fill(s, &t);
    opterr = 0;
    optind = 0; /* glibc: start afresh, also after an earlier scan */
    while ((c = getopt_long(argc, argv, t.letters, t.longs, NULL)) != -1) {
        int i = c == ':' || c == '?' ? -1 : option_index(s, c);
        if (i < 0) {
            *exit_status = refuse(s, c, argv);
            return false;
        }
        if (i == option_total(s)) {
            print_help(s);
            *exit_status = EXIT_DONE;
            return false;
        }
        if (!store_value(s, &s->options[i], optarg, values, exit_status))
            return false;
    }
    if (!find_needed(s, values, exit_status))
        return false;
    follow_links(s, values);
    return count_arguments(s, argc, argv, arguments, exit_status);
}

const char *command_peek(const struct command_syntax *s, int argc, char *const *argv,
                         const char *name)
{
    struct getopt_tables t;
    const char *found = NULL;
    char **words = calloc((size_t)argc + 1, sizeof *words); /* getopt sorts them */
    if (!words)
        return NULL;
    memcpy(words, argv, (size_t)argc * sizeof *words);
    tables_fill(s, &t);
    opterr = 0;
    optind = 0;
    for (int c; (c = getopt_long(argc, words, t.letters, t.longs, NULL)) != -1;)
        if (c >= LONG_BASE && c < LONG_BASE + option_total(s) &&
            strcmp(s->options[c - LONG_BASE].name, name) == 0)
            found = optarg;
    free(words);
    return found;
}
