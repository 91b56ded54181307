/* Every name that a sweep file may have, and what an unknown one may mean: a name that is allowed
 * there, one that belongs elsewhere, another program's word. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "sweep/plan/config_reading.h"

const struct option_entry reading_task_name = {.name = "name",
                                               .type = OPTION_CHOICE,
                                               .words = (const char *const[]){
#define TASK(name) #name,
#include "datasets/tasks.def"
#undef TASK
                                                   NULL}};

/* Other programs' words for what is called something else here. */
static const struct {
    const char *ours, *theirs[5];
} aliases[] = {
    {"train.lr", {"learning_rate"}},
    {"train.batch", {"batch_size"}},
    {"train.steps", {"max_steps", "iterations", "epochs"}},
    {"train.schedule.warmup", {"warmup_steps"}},
    {"train.schedule", {"scheduler", "lr_scheduler"}},
    {"train.clip", {"max_grad_norm", "grad_clip"}},
    {"train.optimizer", {"optim"}},
    {"model.heads", {"n_heads", "num_heads", "nhead", "num_attention_heads"}},
    {"model.layers", {"n_layers", "num_layers", "num_hidden_layers", "depth"}},
    {"model.d_model", {"hidden_size", "embed_dim", "n_embd"}},
    {"model.d_ff", {"dim_feedforward", "intermediate_size"}},
    {"model.d_head", {"head_dim"}},
    {"task.length", {"seq_len"}},
    {"task.vocab", {"vocab_size"}},
    {"workers", {"jobs", "n_jobs"}},
    {"seeds", {"n_seeds", "num_seeds", "repeats"}},
    {"limits.time", {"timeout"}},
    {"constraints", {"filter"}},
    {"equivalence", {"margin", "rope"}},
    {"tune.rungs", {"halving", "early_stopping"}},
    {"tune.rungs.eta", {"reduction_factor"}},
    {"tune.rungs.min_steps", {"grace_period", "min_iter"}},
};

/* Keys of W&B sweeps that have no counterpart here. */
static const char *const wandb_keys[] = {"program", "command",    "project",         "entity",
                                         "job",     "apiVersion", "early_terminate", NULL};

/* ---- all names ---- */

static void add_name(struct reading *r, int *n, enum config_name_kind kind, const char *path,
                     const struct option_entry *value)
{
    if (config_name_find(r->names, path))
        return;
    r->names[(*n)++] = (struct config_name){arena_string(r->arena, path), kind, value};
    r->names = arena_grow(r->arena, r->names, (size_t)*n, sizeof *r->names);
}

/* "train.schedule.warmup", and "train.schedule", where it stands. */
static void add_option(struct reading *r, int *n, const char *section, const struct option_entry *o)
{
    char path[CONFIG_PATH_SIZE];
    const char *dot = strrchr(o->name, '.');
    snprintf(path, sizeof path, "%s.%.*s", section, dot ? (int)(dot - o->name) : 0, o->name);
    if (dot)
        add_name(r, n, CONFIG_SECTION, path, NULL);
    snprintf(path, sizeof path, "%s.%s", section, o->name);
    add_name(r, n, CONFIG_OPTION, path, o);
}

static void add_options(struct reading *r, int *n, const char *section,
                        const struct option_entry *table)
{
    for (; table->name; table++)
        add_option(r, n, section, table);
}

void reading_names(struct reading *r)
{
    int n = 0;
    r->names = arena_grow(r->arena, NULL, 0, sizeof *r->names);
    add_option(r, &n, "task", &reading_task_name);
    for (int i = 0; r->tasks ? i < r->tasks : task_table[i] != NULL; i++)
        add_options(r, &n, "task", r->tasks ? r->task[i]->options : task_table[i]->options);
    add_options(r, &n, "model", encoder_options);
    add_options(r, &n, "train", train_options);
    for (const struct config_key *key = reading_key_table; key->value.name; key++)
        add_name(r, &n, key->read ? CONFIG_KEY : CONFIG_SECTION, key->value.name, &key->value);
}

const struct config_name *config_names(struct arena *a)
{
    struct reading all = {.arena = a}; /* of no file: the options of every task */
    reading_names(&all);
    return all.names;
}

const struct config_name *config_name_find(const struct config_name *names, const char *path)
{
    for (; names->path; names++)
        if (strcmp(names->path, path) == 0)
            return names;
    return NULL;
}

/* ---- what a word may mean ---- */

/* The nearest so far to what was typed, and what it means; NULL: nothing is alike. */
struct guess {
    const char *typed, *word, *meaning;
};

static void consider(struct guess *g, const char *word, const char *meaning)
{
    const char *both[] = {g->word ? g->word : word, word, NULL};
    if (nearest_name(g->typed, both) == word && g->word != word)
        *g = (struct guess){g->typed, word, meaning};
}

static bool is_exact(const struct guess *g)
{
    return g->word && strcmp(g->word, g->typed) == 0;
}

static const char *last_part(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot ? dot + 1 : path;
}

/* Among everything: by last parts (but `name`: so many things have names) and other programs'
 * words; and by full paths. options: among options only. */
static void guess_anywhere(const struct reading *r, bool options, struct guess *word,
                           struct guess *path)
{
    for (const struct config_name *name = r->names; name->path; name++) {
        if (options && name->kind != CONFIG_OPTION)
            continue;
        if (strcmp(last_part(name->path), "name") != 0)
            consider(word, last_part(name->path), name->path);
        consider(path, name->path, name->path);
    }
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        for (int k = 0; aliases[i].theirs[k] && config_name_find(r->names, aliases[i].ours); k++)
            consider(word, aliases[i].theirs[k], aliases[i].ours);
}

/* Among what may stand in a mapping: these words, or what is directly under that path. */
static void guess_here(const struct reading *r, const char *under, const char *const *words,
                       struct guess *g)
{
    const size_t size = strlen(under) + (*under != '\0');
    for (const struct config_name *name = r->names; name->path && !words; name++)
        if ((size_t)(last_part(name->path) - name->path) == size &&
            strncmp(name->path, under, strlen(under)) == 0)
            consider(g, last_part(name->path), last_part(name->path));
    for (; words && *words; words++)
        consider(g, *words, *words);
}

/* What an unknown name may mean, " (did you mean X?)" or "": one that may stand where it does, the
 * same word elsewhere, or what is nearest to it. under NULL: the path of an option is meant; words:
 * nothing else is. */
static const char *suggest(const struct reading *r, const char *typed, const char *under,
                           const char *const *words)
{
    char seen[2 * CONFIG_PATH_SIZE];
    const char *name = text_visible(typed, seen, sizeof seen);
    struct text_buffer hint = {.arena = r->arena};
    struct guess here = {.typed = name}, path = here, word = {.typed = last_part(name)};
    if (under)
        guess_here(r, under, words, &here);
    if (!words)
        guess_anywhere(r, !under, &word, &path);
    const char *meant = is_exact(&here)   ? here.meaning
                        : is_exact(&word) ? word.meaning
                        : here.meaning    ? here.meaning
                        : path.meaning    ? path.meaning
                                          : word.meaning;
    if (meant)
        text_add(&hint, " (did you mean %s?)", meant);
    return meant ? hint.text : "";
}

enum status reading_unknown_path(const struct reading *r, const char *path, struct message *m)
{
    char shown[64];
    bool known = config_name_find(r->names, path); /* `model` does not mean d_model */
    return status_fail(m, STATUS_BAD_INPUT, "there is no option '%s'%s",
                       text_shown(path, shown, sizeof shown),
                       known ? "" : suggest(r, path, NULL, NULL));
}

/* W&B's `parameters`: its keys under the names that they have here. */
static _Noreturn void refuse_parameters(const struct reading *r, const struct tree *t)
{
    struct text_buffer renamed = {.arena = r->arena};
    text_add(&renamed, "unknown key 'parameters' (of W&B); move the keys under it to task, model "
                       "and train");
    const size_t before = renamed.used;
    for (const struct tree *child = t->first; child; child = child->next) {
        struct guess g = {.typed = child->key}, path = g;
        guess_anywhere(r, true, &g, &path);
        if (is_exact(&g))
            text_add(&renamed, "%s%s is %s", renamed.used > before ? ", " : " (", g.word,
                     g.meaning);
    }
    reading_refuse(r, t->key_place, "%s%s", renamed.text, renamed.used > before ? ")" : "");
}

/* A key that stands elsewhere, under another path than its own, `full`; or that W&B has. */
static void refuse_foreign(const struct reading *r, const struct tree *t, const char *under,
                           const char *full)
{
    const struct config_name *top = config_name_find(r->names, t->key);
    if (config_name_find(r->names, full)) /* "model.heads: 4" */
        reading_refuse(r, t->key_place, "unknown key '%s'; write %s under %.*s", t->key,
                       last_part(full), (int)(last_part(full) - full) - 1, full);
    if (top && !strchr(t->key, '.') && strcmp(t->key, "name") != 0)
        reading_refuse(r, t->key_place,
                       "unknown key '%s' under %s; move it to the top level, beside %.*s", t->key,
                       under, (int)strcspn(under, "."), under);
    if (!*under && strcmp(t->key, "parameters") == 0)
        refuse_parameters(r, t);
    for (const char *const *theirs = wandb_keys; !*under && *theirs; theirs++)
        if (strcmp(t->key, *theirs) == 0)
            reading_refuse(r, t->key_place, "unknown key '%s': only W&B needs it; remove it",
                           t->key);
}

void reading_known(const struct reading *r, const struct tree *map, const char *under,
                   const char *const *words)
{
    char shown[64], full[2 * CONFIG_PATH_SIZE];
    for (const struct tree *t = map->first; t; t = t->next) {
        struct guess g = {.typed = t->key};
        guess_here(r, under, words, &g);
        if (is_exact(&g))
            continue;
        snprintf(full, sizeof full, "%s%s%s", under, *under ? "." : "", t->key);
        if (!words)
            refuse_foreign(r, t, under, full);
        reading_refuse(r, t->key_place, "unknown key '%s'%s%s%s",
                       text_shown(t->key, shown, sizeof shown), *under ? " under " : "", under,
                       suggest(r, t->key, under, words));
    }
}

/* ---- from the command line ---- */

const char *config_key_meant(const char *word, char path[CONFIG_PATH_SIZE])
{
    struct arena a;
    arena_init(&a, NULL);
    struct reading all = {.arena = &a};
    reading_names(&all);
    struct guess g = {.typed = word}, full = g;
    guess_anywhere(&all, false, &g, &full);
    const char *meant = is_exact(&full) ? word : is_exact(&g) ? g.meaning : NULL;
    if (meant)
        snprintf(path, CONFIG_PATH_SIZE, "%s", meant);
    arena_free(&a);
    return meant ? path : NULL;
}

const char *reading_near_file(const char *path, char *near, size_t size)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *ending = strrchr(name, '.');
    char typed[CONFIG_PATH_SIZE];
    struct guess g = {.typed = typed};
    struct dirent **list = NULL;
    snprintf(near, size, "%.*s", slash ? (int)(name - path) : 1, slash ? path : ".");
    snprintf(typed, sizeof typed, "%.*s", (int)(ending ? ending - name : CONFIG_PATH_SIZE), name);
    int n = scandir(near, &list, NULL, alphasort);
    for (int i = 0; i < n; i++) { /* the ending is no part of what is alike */
        char *dot = strrchr(list[i]->d_name, '.');
        if (!dot || dot == list[i]->d_name || (ending && strcmp(dot, ending) != 0))
            continue;
        *dot = '\0';
        consider(&g, list[i]->d_name, dot + 1);
    }
    if (g.word)
        snprintf(near, size, "%.*s%s.%s", (int)(name - path), path, g.word, g.meaning);
    for (int i = 0; i < n; i++)
        free(list[i]);
    free(list);
    return g.word ? near : NULL;
}
