#include "sweep/cli/tasks_file.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/utf8.h"

enum { LINE_COLUMNS = 90 };

static const char *const part_name[TASK_PARTS] = {"training", "validation", "test"};

static const char *file_of(const struct point *p)
{
    const struct option_entry *file = option_find(p->task->options, "file");
    return file ? (const char *)p->task_options + file->offset : "";
}

bool tasks_file_given(const struct point *p)
{
    return p->task->file && *file_of(p);
}

static int64_t derived_of(const struct point *p, const char *name)
{
    int64_t value;
    memcpy(&value, p->task_options + option_find(p->task->options, name)->offset, sizeof value);
    return value;
}

/* An example's bytes for a person: its lines, broken where they are long; what cannot be shown as
 * \x and two digits. */
static void print_bytes(const int32_t *byte, long n)
{
    unsigned char *text = calloc((size_t)n + 1, 1);
    if (!text)
        return;
    for (long i = 0; i < n; i++)
        text[i] = (unsigned char)byte[i];
    const unsigned char *p = text, *end = text + n;
    for (int column = LINE_COLUMNS; p < end;) {
        uint32_t code;
        int length = utf8_decode(p, end, &code);
        if (column >= LINE_COLUMNS) {
            printf("%s  | ", p > text ? "\n" : "");
            column = 0;
        }
        if (*p == '\n')
            column = LINE_COLUMNS;
        else if (length > 0 && !utf8_is_control(code))
            column += printf("%.*s", length, (const char *)p) ? 1 : 0;
        else
            column += printf("\\x%02x", *p);
        p += length > 0 && !utf8_is_control(code) ? length : 1;
    }
    putchar('\n');
    free(text);
}

struct example {
    int32_t *inputs, *targets;
    uint8_t *padding;
};

static void print_example(const struct task_source *source, const struct point *p,
                          const struct task_shape *shape, const struct example *e)
{
    long used = 0;
    while (used < shape->length && !(shape->padded && e->padding[used]))
        used++;
    print_bytes(e->inputs, used);
    if (shape->bytes) {
        printf("The target of each byte is the one after it; of the last:\n");
        print_bytes(e->targets + shape->length - 1, 1);
        return;
    }
    const char *name = p->task->file->label(source, e->targets[0]);
    text_print(stdout, "  target    %s\n", name ? name : "");
    if (used < shape->length)
        printf("  padding   %ld positions\n", shape->length - used);
}

static enum status read_example(struct arena *a, const struct point *p,
                                const struct task_shape *shape, long index, struct message *m)
{
    struct example e = {
        .inputs = arena_alloc(a, (size_t)(shape->length * shape->fields), sizeof *e.inputs),
        .targets = arena_alloc(a, (size_t)(shape->length * shape->slots), sizeof *e.targets),
        .padding = arena_alloc(a, (size_t)shape->length, sizeof *e.padding),
    };
    struct task_source *source;
    enum status s = p->task->file->open(a, p->task_options, &source, m);
    if (s != STATUS_OK)
        return s;
    s = p->task->file->read(source, TASK_TEST, index - 1, shape->part[TASK_TEST], e.inputs,
                            e.targets, e.padding, m);
    if (s == STATUS_OK) {
        printf("\nTest example %ld:\n", index);
        print_example(source, p, shape, &e);
    }
    p->task->file->close(source);
    return s;
}

static void print_file(const struct point *p, const struct task_shape *shape)
{
    char count[32];
    text_print(stdout, "\nFile: %s, %s bytes\n", file_of(p),
               text_count(derived_of(p, "size"), count, sizeof count));
    for (int i = 0; i < TASK_PARTS; i++)
        printf("  %-10s  %s %s\n", part_name[i], text_count(shape->part[i], count, sizeof count),
               shape->bytes ? "windows" : "rows");
}

enum status tasks_file_print(const struct point *p, const struct task_shape *shape,
                             const char *facts, long index, struct message *m)
{
    if (index > shape->part[TASK_TEST])
        return status_fail(m, STATUS_BAD_INPUT,
                           "--example is %ld, but the test part has %" PRId64 " examples", index,
                           shape->part[TASK_TEST]);
    (void)facts;
    print_file(p, shape);
    printf("Chance accuracy: %.4g\n", shape->chance);
    jmp_buf exhausted;
    struct arena arena;
    arena_init(&arena, &exhausted);
    enum status s = setjmp(exhausted) ? status_fail(m, STATUS_NO_MEMORY, "no memory for an example")
                                      : read_example(&arena, p, shape, index, m);
    arena_free(&arena);
    return s;
}
