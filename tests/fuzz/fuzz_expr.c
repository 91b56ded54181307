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

/* Names with dots are unknown. */
static const void *find(void *context, const char *name, struct message *m)
{
    (void)context;
    return strchr(name, '.') ? (status_fail(m, STATUS_BAD_INPUT, "no %s", name), NULL) : name;
}

/* One letter is a number, more letters are a word. */
static struct expr_value get(const void *context, const void *found)
{
    const char *name = found;
    (void)context;
    return (struct expr_value){name[0] - 'a', name[1] ? name : NULL, strlen(name)};
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
    struct expr *e = expr_compile(&arena, text, find, NULL, &column, &m);
    if (!e) {
        promise(*m.text && column >= 1 && (size_t)column <= strlen(text) + 1);
    } else {
        bool truth = false, same = false;
        promise(column == 0);
        enum status s = expr_evaluate(e, get, NULL, &truth, &m);
        promise(expr_evaluate(e, get, NULL, &same, &again) == s);
        promise(s ? *m.text && strcmp(m.text, again.text) == 0 : truth == same);
    }
    arena_free(&arena);
    free(text);
    return 0;
}
