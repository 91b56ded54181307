#include "sweep/cli/sbatch_words.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"

void sbatch_words_free(struct sbatch_words *w)
{
    for (int i = 0; i < w->count; i++)
        free(w->word[i]);
    free(w->word);
    free(w->dependency);
    *w = (struct sbatch_words){0};
}

static enum status no_memory(struct message *m)
{
    return status_no_memory(m, "the options of sbatch");
}

enum status sbatch_words_add(struct sbatch_words *w, const char *word, struct message *m)
{
    char **more = realloc(w->word, ((size_t)w->count + 1) * sizeof *more);
    if (!more)
        return no_memory(m);
    w->word = more;
    more[w->count] = strdup(word);
    if (!more[w->count])
        return no_memory(m);
    w->count++;
    return STATUS_OK;
}

/* ---- a text as the shell reads it ---- */

static enum status refuse_character(char c, const char *text, struct message *m)
{
    char shown[256];
    text_shown(text, shown, sizeof shown);
    return status_fail(m, STATUS_BAD_INPUT,
                       "'%c' in the options \"%s\" means something to a shell, but no shell reads "
                       "them; put a backslash before it, or the word in '...'",
                       c, shown);
}

/* Reads one word from *at on into `word`, which has room for all of the text; *at stands behind it
 * then. */
static enum status next_word(const char **at, const char *text, char *word, struct message *m)
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
            return refuse_character(*c, text, m);
        } else {
            *word++ = *c;
        }
    }
    *word = '\0';
    *at = c;
    if (!quote)
        return STATUS_OK;
    char shown[256];
    text_shown(text, shown, sizeof shown);
    return status_fail(m, STATUS_BAD_INPUT, "a %c in the options \"%s\" has no end; close it",
                       quote, shown);
}

enum status sbatch_words_split(struct sbatch_words *w, const char *text, struct message *m)
{
    char *word = malloc(strlen(text) + 1);
    if (!word)
        return no_memory(m);
    enum status s = STATUS_OK;
    const char *at = text;
    while (s == STATUS_OK && *(at += strspn(at, " \t\n"))) {
        s = next_word(&at, text, word, m);
        if (s == STATUS_OK)
            s = sbatch_words_add(w, word, m);
    }
    free(word);
    return s;
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

static enum status take_dependency(struct sbatch_words *w, const char *value, struct message *m)
{
    free(w->dependency);
    w->dependency = strdup(value);
    return w->dependency ? STATUS_OK : status_no_memory(m, "a dependency");
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

/* BAD_INPUT for what submit alone decides: by names and comments `status` and later submits know
 * the jobs of a results file. */
static enum status refuse_own(const char *word, struct message *m)
{
    enum { ARRAY_MIN = 2, NAME_MIN = 4, COMMENT_MIN = 3 }; /* "--jobid", "--constraint" */
    if (long_value(word, "array", ARRAY_MIN) || is_short(word, 'a'))
        return status_fail(m, STATUS_BAD_INPUT,
                           "with sbatch's own --array every task would run the whole sweep; use "
                           "`headcount submit --array N`, or --array N%%M for M tasks at a time");
    bool name = long_value(word, "job-name", NAME_MIN) || is_short(word, 'J');
    if (name || long_value(word, "comment", COMMENT_MIN))
        return status_fail(m, STATUS_BAD_INPUT,
                           "sbatch's %s cannot be given, because headcount uses it to find its own "
                           "jobs; %s",
                           name ? "--job-name" : "--comment",
                           name ? "set the name of the sweep instead (--set name=NAME)"
                                : "leave it out");
    return STATUS_OK;
}

enum status sbatch_words_settle(struct sbatch_words *w, struct message *m)
{
    enum status s = STATUS_OK;
    int kept = 0;
    int words;
    for (int i = 0; i < w->count; i += words) {
        const char *word = w->word[i];
        const char *value = NULL;
        bool wait = strcmp(word, "--wait") == 0 || strcmp(word, "-W") == 0;
        words = dependency_words(w, i, &value);
        if (s == STATUS_OK && words == 0)
            s = refuse_own(word, m);
        if (s == STATUS_OK && words > 0)
            s = take_dependency(w, value, m);
        w->wait |= wait;
        for (int k = 0; k < words; k++)
            free(w->word[i + k]);
        if (words == 0 && wait)
            free(w->word[i]);
        else if (words == 0)
            w->word[kept++] = w->word[i];
        words += words == 0;
    }
    w->count = kept;
    return s;
}
