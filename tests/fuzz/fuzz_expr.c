/* Any text is either refused at a column inside it, or compiles to what evaluates, twice to the
 * same end. */
#include <stdlib.h>
#include <string.h>

#include "sweep/plan/expr.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void promise(int kept)
{
    if (!kept)
        abort();
}

/* One letter is a number, more letters are a word, dots are unknown. */
static bool look_up(void *context, const char *name, double *number, const char **word)
{
    (void)context;
    *number = name[0] - 'a';
    *word = name[1] ? name : NULL;
    return !strchr(name, '.');
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    char *text = calloc(1, size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    struct arena arena;
    struct message m = {{0}}, again = {{0}};
    int column = -1;
    arena_init(&arena, NULL);
    struct expr *e = expr_compile(&arena, text, look_up, NULL, &column, &m);
    if (!e) {
        promise(*m.text && column >= 1 && (size_t)column <= strlen(text) + 1);
    } else {
        bool truth = false, same = false;
        promise(column == 0);
        enum status s = expr_evaluate(e, look_up, NULL, &truth, &m);
        promise(expr_evaluate(e, look_up, NULL, &same, &again) == s);
        promise(s ? *m.text && strcmp(m.text, again.text) == 0 : truth == same);
    }
    arena_free(&arena);
    free(text);
    return 0;
}
