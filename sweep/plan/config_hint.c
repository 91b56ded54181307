/* Suggestions for an unknown key or option: the same option in another section, other programs'
 * words for it, the nearest name anywhere. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "sweep/plan/config_reading.h"

enum { PATH_SIZE = 128, FULL_SIZE = 2 * PATH_SIZE };

const char *const reading_sections[] = {"task", "model", "train", NULL};

/* Names that other programs use for options that are called something else here. */
static const struct {
    const char *theirs, *ours;
} aliases[] = {
    {"learning_rate", "train.lr"},
    {"batch_size", "train.batch"},
    {"max_steps", "train.steps"},
    {"iterations", "train.steps"},
    {"epochs", "train.steps"},
    {"warmup_steps", "train.schedule.warmup"},
    {"scheduler", "train.schedule"},
    {"lr_scheduler", "train.schedule"},
    {"max_grad_norm", "train.clip"},
    {"grad_clip", "train.clip"},
    {"optim", "train.optimizer"},
    {"n_heads", "model.heads"},
    {"num_heads", "model.heads"},
    {"nhead", "model.heads"},
    {"num_attention_heads", "model.heads"},
    {"n_layers", "model.layers"},
    {"num_layers", "model.layers"},
    {"num_hidden_layers", "model.layers"},
    {"depth", "model.layers"},
    {"hidden_size", "model.d_model"},
    {"embed_dim", "model.d_model"},
    {"n_embd", "model.d_model"},
    {"dim_feedforward", "model.d_ff"},
    {"intermediate_size", "model.d_ff"},
    {"head_dim", "model.d_head"},
    {"seq_len", "task.length"},
    {"vocab_size", "task.vocab"},
    {"jobs", "workers"},
    {"n_jobs", "workers"},
    {"n_seeds", "seeds"},
    {"num_seeds", "seeds"},
    {"repeats", "seeds"},
    {"timeout", "limits.time"},
    {"filter", "constraints"},
    {"margin", "equivalence"},
    {"rope", "equivalence"},
    {"halving", "tune.rungs"},
    {"early_stopping", "tune.rungs"},
    {"reduction_factor", "tune.rungs.eta"},
    {"grace_period", "tune.rungs.min_steps"},
    {"min_iter", "tune.rungs.min_steps"},
};

/* Keys of W&B sweeps that have no counterpart here. */
static const char *const wandb_keys[] = {"program", "command",    "project",         "entity",
                                         "job",     "apiVersion", "early_terminate", NULL};

static bool has_word(const char *const *words, const char *word)
{
    while (*words && strcmp(*words, word) != 0)
        words++;
    return *words != NULL;
}

int reading_tables(const struct reading *r, const char *section,
                   const struct option_entry *table[READING_TASKS])
{
    int n = 0;
    if (strcmp(section, "task") != 0) {
        table[0] = strcmp(section, "model") == 0 ? encoder_options : train_options;
        return 1;
    }
    const struct task *const *tasks = r->tasks ? r->task : task_table;
    for (; n < READING_TASKS && (r->tasks ? n < r->tasks : tasks[n] != NULL); n++)
        table[n] = tasks[n]->options;
    return n;
}

/* Every option: full paths, and the last part of each; both end with NULL. */
struct catalogue {
    const char **path, **last;
    size_t n;
};

/* Adds "section.name" for every option of the table. */
static void add_paths(const struct reading *r, const char *section,
                      const struct option_entry *table, struct catalogue *c)
{
    char path[PATH_SIZE];
    for (const struct option_entry *o = table; o->name; o++, c->n++) {
        snprintf(path, sizeof path, "%s.%s", section, o->name);
        const char *kept = arena_string(r->arena, path);
        c->path[c->n] = kept;
        c->last[c->n] = strrchr(kept, '.') + 1;
    }
}

static void list_options(const struct reading *r, struct catalogue *c)
{
    const struct option_entry *table[READING_TASKS];
    size_t most = 2; /* task.name, the end */
    for (int k = 0; reading_sections[k]; k++)
        for (int i = reading_tables(r, reading_sections[k], table); i-- > 0;)
            most += (size_t)option_count(table[i]);
    *c = (struct catalogue){arena_alloc(r->arena, most, sizeof *c->path),
                            arena_alloc(r->arena, most, sizeof *c->last), 0};
    for (int k = 0; reading_sections[k]; k++) {
        int tables = reading_tables(r, reading_sections[k], table);
        for (int i = 0; i < tables; i++)
            add_paths(r, reading_sections[k], table[i], c);
    }
    c->path[c->n] = "task.name"; /* without a last part: so many things have names */
    c->last[c->n] = "";
}

/* The option of exactly that last part. */
static const char *same_last_part(const struct catalogue *c, const char *word)
{
    for (size_t i = 0; i < c->n; i++)
        if (*word && strcmp(c->last[i], word) == 0)
            return c->path[i];
    return NULL;
}

/* The option here that another program's word means, if the sweep's tasks have it. */
static const char *translated(const struct catalogue *c, const char *word)
{
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++) {
        const char *ours = aliases[i].ours;
        bool of_task = strncmp(ours, "task.", strlen("task.")) == 0;
        if (strcmp(aliases[i].theirs, word) == 0 && (!of_task || has_word(c->path, ours)))
            return ours;
    }
    return NULL;
}

static const char *near_last_part(const struct catalogue *c, const char *word)
{
    const char *near = nearest_name(word, c->last);
    return near ? same_last_part(c, near) : NULL;
}

enum status reading_unknown_path(const struct reading *r, const char *path, struct message *m)
{
    char shown[64], seen[FULL_SIZE];
    struct catalogue c;
    const char *key = text_visible(path, seen, sizeof seen), *meant = NULL;
    const char *dot = strrchr(key, '.'), *last = dot ? dot + 1 : key;
    list_options(r, &c);
    bool section = has_word(reading_sections, key); /* `model` is near d_model, but not meant so */
    if (!section && !(meant = same_last_part(&c, last)) && !(meant = nearest_name(key, c.path)) &&
        !(meant = translated(&c, last)))
        meant = near_last_part(&c, last);
    return status_fail(m, STATUS_BAD_INPUT, "there is no option '%s'%s%s%s",
                       text_shown(path, shown, sizeof shown), meant ? " (did you mean " : "",
                       meant ? meant : "", meant ? "?)" : "");
}

/* W&B's `parameters`: its keys under the names that they have here. */
static _Noreturn void refuse_parameters(const struct reading *r, const struct tree *t,
                                        const struct catalogue *c)
{
    char renamed[512] = "";
    size_t used = 0;
    for (const struct tree *child = t->first; child; child = child->next) {
        const char *ours = same_last_part(c, child->key);
        if (!ours && !(ours = translated(c, child->key)))
            continue;
        int n = snprintf(renamed + used, sizeof renamed - used, "%s%s is %s", used ? ", " : " (",
                         child->key, ours);
        if (n < 0 || used + (size_t)n + 2 > sizeof renamed) {
            renamed[used] = '\0'; /* the first ones show how */
            break;
        }
        used += (size_t)n;
    }
    reading_refuse(r, t->key_place,
                   "unknown key 'parameters' (of W&B); move the keys under it to task, "
                   "model and train%s%s",
                   renamed, used ? ")" : "");
}

/* A path written as one key: "model.heads: 4". */
static bool is_dotted(const struct catalogue *c, const char *path, const char *key, char full[])
{
    snprintf(full, FULL_SIZE, "%s%s%s", path, *path ? "." : "", key);
    return strchr(key, '.') && has_word(c->path, full);
}

/* Writes the path of exactly that key in one of the mappings (but `name`: so many things have
 * names); with near, of one like it. Returns path, or NULL if there is none. */
static const char *key_of_mapping(const char *key, bool near, char path[PATH_SIZE])
{
    for (const struct config_mapping *map = config_mappings; map->path; map++) {
        const char *meant = near                      ? nearest_name(key, map->key)
                            : has_word(map->key, key) ? key
                                                      : NULL;
        if (!meant || strcmp(meant, "name") == 0)
            continue;
        snprintf(path, PATH_SIZE, "%s.%s", map->path, meant);
        return path;
    }
    return NULL;
}

/* "tune.rungs" written as one key. */
static bool is_dotted_key(const char *path, const char *key, char full[])
{
    snprintf(full, FULL_SIZE, "%s%s%s", path, *path ? "." : "", key);
    const char *dot = strrchr(full, '.');
    for (const struct config_mapping *map = config_mappings; dot && map->path; map++)
        if (strlen(map->path) == (size_t)(dot - full) &&
            strncmp(map->path, full, (size_t)(dot - full)) == 0 && has_word(map->key, dot + 1))
            return strchr(key, '.') != NULL;
    return false;
}

static _Noreturn void refuse_key(const struct reading *r, const struct tree *t, const char *path,
                                 const char *const *names)
{
    char shown[64], seen[FULL_SIZE], full[FULL_SIZE], other[PATH_SIZE];
    const char *key = text_visible(t->key, seen, sizeof seen);
    struct catalogue c;
    list_options(r, &c);
    if (is_dotted(&c, path, t->key, full) || is_dotted_key(path, t->key, full))
        reading_refuse(r, t->key_place, "unknown key '%s'; write %s under %.*s", t->key,
                       strrchr(full, '.') + 1, (int)(strrchr(full, '.') - full), full);
    if (!*path && strcmp(t->key, "parameters") == 0)
        refuse_parameters(r, t, &c);
    if (!*path && has_word(wandb_keys, t->key))
        reading_refuse(r, t->key_place, "unknown key '%s': only W&B needs it; remove it", t->key);
    text_shown(t->key, shown, sizeof shown);
    if (*path && strcmp(key, "name") != 0 && has_word(config_keys, key))
        reading_refuse(r, t->key_place,
                       "unknown key '%s' under %s; move it to the top level, beside task, "
                       "model and train",
                       shown, path);
    const char *meant = has_word(names, key) ? key : NULL;
    if (!meant && !(meant = same_last_part(&c, key)) && !(meant = translated(&c, key)) &&
        !(meant = key_of_mapping(key, false, other)) && !(meant = nearest_name(key, names)) &&
        !(meant = near_last_part(&c, key)))
        meant = key_of_mapping(key, true, other);
    reading_refuse(r, t->key_place, "unknown key '%s'%s%s%s%s%s", shown, *path ? " under " : "",
                   path, meant ? " (did you mean " : "", meant ? meant : "", meant ? "?)" : "");
}

void reading_known_options(const struct reading *r, const struct tree *map, const char *path,
                           const char *const *names)
{
    for (const struct tree *t = map->first; t; t = t->next)
        if (!has_word(names, t->key))
            refuse_key(r, t, path, names);
}

/* An unknown key of a mapping: another name for one of its keys or for something elsewhere, a key
 * that belongs elsewhere, a misspelt one. */
static _Noreturn void refuse_key_of(const struct reading *r, const struct tree *t,
                                    const struct config_mapping *map)
{
    char shown[64], seen[FULL_SIZE], full[FULL_SIZE], other[PATH_SIZE];
    const char *key = text_visible(t->key, seen, sizeof seen);
    struct catalogue c;
    list_options(r, &c);
    if (is_dotted_key(map->path, t->key, full))
        reading_refuse(r, t->key_place, "unknown key '%s'; write %s under %.*s", t->key,
                       strrchr(full, '.') + 1, (int)(strrchr(full, '.') - full), full);
    text_shown(t->key, shown, sizeof shown);
    if (has_word(config_keys, key))
        reading_refuse(r, t->key_place,
                       "unknown key '%s' under %s; move it to the top level, beside %.*s", shown,
                       map->path, (int)strcspn(map->path, "."), map->path);
    const char *meant = key;
    if (!has_word(map->key, key) && !(meant = key_of_mapping(key, false, other)) &&
        !(meant = nearest_name(key, map->key)) && !(meant = same_last_part(&c, key)) &&
        !(meant = translated(&c, key)) && !(meant = nearest_name(key, config_keys)))
        meant = key_of_mapping(key, true, other);
    reading_refuse(r, t->key_place, "unknown key '%s' under %s%s%s%s", shown, map->path,
                   meant ? " (did you mean " : "", meant ? meant : "", meant ? "?)" : "");
}

void reading_mapping(const struct reading *r, const struct tree *t, const char *path)
{
    const struct config_mapping *map = config_mappings;
    reading_expect(r, t, TREE_MAP, path);
    while (strcmp(map->path, path) != 0)
        map++;
    for (const struct tree *key = t->first; key; key = key->next)
        if (!has_word(map->key, key->key))
            refuse_key_of(r, key, map);
}

/* ---- from the command line ---- */

const char *config_key_meant(const char *word, char path[CONFIG_PATH_SIZE])
{
    struct reading all = {0}; /* of no file: the options of every task */
    const struct option_entry *table[READING_TASKS];
    const char *ours = word;
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++)
        if (strcmp(aliases[i].theirs, word) == 0)
            ours = aliases[i].ours;
    if (ours != word || has_word(config_keys, word)) {
        snprintf(path, CONFIG_PATH_SIZE, "%s", ours);
        return path;
    }
    for (int k = 0; reading_sections[k]; k++)
        for (int i = reading_tables(&all, reading_sections[k], table); i-- > 0;)
            for (const struct option_entry *o = table[i]; o->name; o++) {
                snprintf(path, CONFIG_PATH_SIZE, "%s.%s", reading_sections[k], o->name);
                if (strcmp(path, word) == 0 || strcmp(strrchr(path, '.') + 1, word) == 0)
                    return path;
            }
    return NULL;
}

const char *reading_near_file(const char *path, char *near, size_t size)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *ending = strrchr(name, '.'), *best = NULL;
    char typed[PATH_SIZE];
    struct dirent **list = NULL;
    snprintf(near, size, "%.*s", slash ? (int)(name - path) : 1, slash ? path : ".");
    snprintf(typed, sizeof typed, "%.*s", (int)(ending ? ending - name : PATH_SIZE), name);
    int n = scandir(near, &list, NULL, alphasort);
    for (int i = 0; i < n; i++) { /* the ending is no part of what is alike */
        char *dot = strrchr(list[i]->d_name, '.');
        if (!dot || dot == list[i]->d_name || (ending && strcmp(dot, ending) != 0))
            continue;
        *dot = '\0';
        const char *both[] = {best ? best : list[i]->d_name, list[i]->d_name, NULL};
        best = nearest_name(typed, both);
    }
    if (best)
        snprintf(near, size, "%.*s%s.%s", (int)(name - path), path, best, best + strlen(best) + 1);
    for (int i = 0; i < n; i++)
        free(list[i]);
    free(list);
    return best ? near : NULL;
}
