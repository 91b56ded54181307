#include "sweep/cli/ask_options.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/ask/model_file.h"
#include "sweep/ask/quote.h"
#include "sweep/plan/point.h"

static const struct command_option options[] = {
    {"task", 0, COMMAND_TEXT, offsetof(struct ask_options, task), "NAME",
     "ask about a toy in the place of a file; its options follow, as in --slots 3"},
    {"minutes", 0, COMMAND_REAL, offsetof(struct ask_options, minutes), "M",
     "how long it may take, about (10); with more, a better answer"},
    {"yes", 0, COMMAND_FLAG, offsetof(struct ask_options, yes), NULL, "begin without asking"},
    {"write", 0, COMMAND_FLAG, offsetof(struct ask_options, write), NULL,
     "only write the sweep file"},
    {"mode", 0, COMMAND_TEXT, offsetof(struct ask_options, mode), "lm|classify",
     "lm: predict each next byte of the file; classify: tell the labels of its rows (by its name)"},
    {"text-column", 0, COMMAND_TEXT, offsetof(struct ask_options, text_column), "NAME",
     "the column, or member, that is the text (the one with the longest values)"},
    {"label-column", 0, COMMAND_TEXT, offsetof(struct ask_options, label_column), "NAME",
     "the one that is the label (one called label, stars, ..., or with the fewest values)"},
    {"model", 0, COMMAND_TEXT, offsetof(struct ask_options, model), "FILE",
     "a YAML file whose sections model and train are taken as they are; only heads are asked"},
    {"set", 0, COMMAND_TEXTS, offsetof(struct ask_options, set), "KEY=VALUE",
     "a key of the sweep file as you want it, as in model.layers=2; null leaves it out"},
    {"workers", 'j', COMMAND_LONG, offsetof(struct ask_options, workers), "N",
     "trials at once (usable cores)"},
    COMMAND_DB_OPTION(struct ask_options),
    {NULL, 0, COMMAND_FLAG, 0, NULL, NULL},
};

const struct command_syntax ask_syntax = {
    .name = "ask",
    .details =
        "Looks at FILE: a text, to be predicted byte by byte, or rows with labels (CSV, TSV, JSON\n"
        "Lines). Measures this machine for a moment and writes FILE.headcount.yaml, with a reason\n"
        "for every value; with --task NAME.headcount.yaml in the working folder. Shows what it\n"
        "will do and how long that takes, asks, and does it, as `headcount run` of that file "
        "would.\n"
        "Ends with an answer, and everything as a page beside the file.\n"
        "\n"
        "The first Ctrl-C stops it, and the same command goes on. With more minutes it keeps the\n"
        "trials that there are, or says why it starts over. A sweep file that you have changed is\n"
        "never written again: `headcount run` runs it. Without a terminal and without --yes it "
        "only\n"
        "writes.\n",
    .options = options,
    .others = "options of a task are those that headcount tasks NAME lists",
    .examples = "  headcount ask configs/README.md --write\n"
                "  headcount ask --task gather --slots 3 --write\n",
    .least = 0,
    .most = 1,
};

/* ---- options of the task ---- */

/* One of ask's own that the word names as getopt_long takes it, by its whole name or a beginning
 * that no other has; NULL: none. *own: how many it may be the name of, --help too. */
static const struct command_option *find_own(const char *word, int *own, bool *whole)
{
    const char *name = word + 2;
    const struct command_option *found = NULL;
    size_t n = strcspn(name, "=");
    *whole = n == 4 && strncmp(name, "help", n) == 0;
    *own = n <= 4 && strncmp(name, "help", n) == 0;
    for (const struct command_option *o = options; o->name && !*whole; o++) {
        if (strncmp(o->name, name, n) != 0)
            continue;
        found = o;
        *whole = strlen(o->name) == n;
        *own = *whole ? 1 : *own + 1;
    }
    return *own == 1 ? found : NULL;
}

/* The option of the task that has this name, or is the only one whose name so begins. */
static const struct option_entry *find_task_option(const struct task *task, const char *name)
{
    const struct option_entry *found = option_find(task->options, name);
    int count = 0;
    if (found)
        return found->derived ? NULL : found;
    for (const struct option_entry *o = task->options; o->name; o++)
        if (!o->derived && strncmp(o->name, name, strlen(name)) == 0) {
            found = o;
            count++;
        }
    return count == 1 ? found : NULL;
}

/* How many words belong to the one that is read, itself included, where it is none of the task's:
 * with the value of one of ask's own that stands apart. */
static int own_words(const char *word)
{
    int own;
    bool whole;
    const struct command_option *o = NULL;
    if (strncmp(word, "--", 2) == 0) {
        o = strchr(word, '=') ? NULL : find_own(word, &own, &whole);
    } else if (word[0] == '-' && word[1] && !word[2]) {
        for (const struct command_option *k = options; k->name; k++)
            o = k->letter == word[1] ? k : o;
    }
    return o && o->kind != COMMAND_FLAG ? 2 : 1;
}

/* The task that the words name, the last one as getopt has it; that of files without. */
static const struct task *task_of(int argc, char **argv)
{
    const char *name = "text";
    int own;
    bool whole;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i += own_words(argv[i])) {
        const char *equals = strchr(argv[i], '=');
        const struct command_option *o =
            strncmp(argv[i], "--", 2) == 0 ? find_own(argv[i], &own, &whole) : NULL;
        if (o && o->offset == offsetof(struct ask_options, task))
            name = equals ? equals + 1 : i + 1 < argc ? argv[i + 1] : name;
    }
    return task_find(name);
}

/* "--slots", "3" or "--slots=3" as "--set=task.slots=3", where the task has that option, or one
 * that so begins and none of ask's own does. Returns how many words were read: 0 where it is none.
 */
static int make_set(const struct task *task, char *const *word, int left, struct ask_made *made)
{
    char name[64];
    size_t n = strcspn(word[0], "=");
    struct text_buffer text = {0};
    int own;
    bool whole, apart = word[0][n] == '\0';
    if (!task || strncmp(word[0], "--", 2) != 0 || n < 3 || n - 2 >= sizeof name)
        return 0;
    find_own(word[0], &own, &whole);
    snprintf(name, sizeof name, "%.*s", (int)n - 2, word[0] + 2);
    for (char *c = name; *c; c++)
        *c = *c == '-' ? '_' : *c;
    const struct option_entry *o = find_task_option(task, name);
    if (!o || whole || (own > 0 && strcmp(o->name, name) != 0) || (apart && left < 2) ||
        made->count == COMMAND_TEXTS_MAX)
        return 0;
    text_add(&text, "--set=task.%s=%s", o->name, apart ? word[1] : word[0] + n + 1);
    if (text.out_of_memory)
        return 0;
    made->item[made->count++] = text.text;
    return apart ? 2 : 1;
}

int ask_replace_words(int argc, char **argv, char **words, struct ask_made *made)
{
    const struct task *task = task_of(argc, argv);
    bool ended = false;
    int n = 0;
    for (int i = 0; i < argc;) {
        ended = ended || strcmp(argv[i], "--") == 0;
        int taken = i > 0 && !ended ? make_set(task, argv + i, argc - i, made) : 0;
        if (taken) {
            words[n++] = made->item[made->count - 1];
            i += taken;
            continue;
        }
        for (int end = i + (i > 0 && !ended ? own_words(argv[i]) : 1); i < end && i < argc; i++)
            words[n++] = argv[i];
    }
    words[n] = NULL;
    return n;
}

bool ask_add_given(struct ask_options *o, struct ask_made *made)
{
    const struct {
        const char *path, *value;
    } given[] = {
        {"mode", o->mode}, {"text_column", o->text_column}, {"label_column", o->label_column}};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        struct text_buffer text = {0};
        if (!given[i].value)
            continue;
        if (o->set.count == COMMAND_TEXTS_MAX || made->count == COMMAND_TEXTS_MAX)
            return false;
        text_add(&text, "task.%s=", given[i].path);
        if (given[i].value == o->mode)
            text_add(&text, "%s", o->mode);
        else
            quote_add(&text, given[i].value);
        if (text.out_of_memory)
            return false;
        made->item[made->count++] = text.text;
        o->set.item[o->set.count++] = text.text;
    }
    return true;
}

enum status ask_add_model(struct ask_options *o, struct ask_made *made, struct message *m)
{
    const int before = made->count, set = o->set.count;
    if (!o->model)
        return STATUS_OK;
    int max = COMMAND_TEXTS_MAX - (before > set ? before : set);
    int added = 0;
    enum status s = model_file_read(o->model, made->item + before, max, &added, m);
    if (added > max) {
        made->count += max;
        return status_fail(m, STATUS_BAD_INPUT,
                           "%s: it and the command line set more than %d keys; set fewer", o->model,
                           COMMAND_TEXTS_MAX);
    }
    made->count += added;
    memmove(o->set.item + added, o->set.item, (size_t)set * sizeof *o->set.item);
    for (int i = 0; i < added; i++)
        o->set.item[i] = made->item[before + i];
    o->set.count += added;
    return s;
}
