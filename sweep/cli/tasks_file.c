#include "sweep/cli/tasks_file.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/json.h"
#include "engine/base/utf8.h"
#include "sweep/plan/survey.h"

enum { LINE_COLUMNS = 90, MOST_LABELS = 20, /* shown */ LABEL_COLUMNS = 40 };

static const char *const part_name[TASK_PARTS] = {"training", "validation", "test"};

bool tasks_file_given(const struct point *p)
{
    const char *file = point_file(p);
    return file && *file;
}

static int64_t derived_of(const struct point *p, const char *name)
{
    int64_t value;
    memcpy(&value, p->task_options + option_find(p->task->options, name)->offset, sizeof value);
    return value;
}

/* An example's text for a person: its lines, broken where they are long; what cannot be shown as \x
 * and two digits. */
static void print_bytes(const unsigned char *p, const unsigned char *end)
{
    const unsigned char *start = p;
    for (int column = LINE_COLUMNS; p < end;) {
        uint32_t code;
        int length = utf8_decode(p, end, &code);
        if (column >= LINE_COLUMNS) {
            printf("%s  | ", p > start ? "\n" : "");
            column = 0;
        }
        if (length == 0 || (utf8_is_control(code) && code != '\n')) {
            column += printf("\\x%02x", *p++);
            continue;
        }
        if (code == '\n')
            column = LINE_COLUMNS;
        else
            column += fwrite(p, 1, (size_t)length, stdout) > 0 ? utf8_columns(code) : 0;
        p += length;
    }
    putchar('\n');
}

static void print_target(const struct task_source *source, const struct point *p,
                         const struct task_shape *shape, const int32_t *targets, long used)
{
    if (shape->bytes) {
        int32_t last = targets[shape->length - 1];
        printf("The target of each byte is the one after it; of the last: ");
        printf(last > ' ' && last < 0x7f ? "%c\n\n" : "\\x%02x\n\n", (int)last);
        return;
    }
    char shown[LABEL_COLUMNS];
    text_shown(p->task->file->label(source, targets[0]), shown, sizeof shown);
    printf("  %-10s  \"%s\"\n", "target", shown);
    if (used < shape->length)
        printf("  %-10s  %s\n", "padding", text_counted(shape->length - used, "position").text);
}

static enum status print_example(struct arena *a, struct task_source *source, const struct point *p,
                                 const struct task_shape *shape, long index, struct message *m)
{
    int32_t *inputs = arena_alloc(a, (size_t)(shape->length * shape->fields), sizeof *inputs);
    int32_t *targets = arena_alloc(a, (size_t)(shape->length * shape->slots), sizeof *targets);
    uint8_t *padding = arena_alloc(a, (size_t)shape->length, sizeof *padding);
    unsigned char *text = arena_alloc(a, (size_t)shape->length, 1);
    enum status s = p->task->file->read(source, TASK_TEST, index - 1, shape->part[TASK_TEST],
                                        inputs, targets, padding, m);
    if (s != STATUS_OK)
        return s;
    long used = 0;
    for (; used < shape->length && !padding[used]; used++)
        text[used] = (unsigned char)inputs[used];
    printf("\nTest example %ld:\n", index);
    print_bytes(text, text + used);
    print_target(source, p, shape, targets, used);
    return STATUS_OK;
}

static void print_file(const struct point *p, const struct task_shape *shape)
{
    char count[32];
    const struct option_entry *sha256 = option_find(p->task->options, "sha256");
    text_print(stdout, "\nFile: %s\n", point_file(p));
    printf("  %-10s  %s\n", "bytes", text_count(derived_of(p, "size"), count, sizeof count));
    printf("  %-10s  %s\n", "SHA-256", (const char *)p->task_options + sha256->offset);
    for (int i = 0; i < TASK_PARTS; i++)
        printf("  %-10s  %s %s\n", part_name[i], text_count(shape->part[i], count, sizeof count),
               shape->bytes ? "windows" : "rows");
    if (shape->repeated)
        printf("  %-10s  %s rows share their text with another row: only trained on\n", "repeated",
               text_count(shape->repeated, count, sizeof count));
}

/* Stands at the first item of the list of that name, where it has any. */
static bool list_of(const struct json *facts, const char *name, struct json *list)
{
    return json_member(facts, name, list) && json_take(list, '[') && !json_take(list, ']');
}

/* The labels by class, each with its rows, and how many texts do not fit. */
static void print_labels(const struct json *facts, const struct task_shape *shape)
{
    struct json cut, label, rows;
    int64_t n;
    if (!list_of(facts, "labels", &label) || !list_of(facts, "label_rows", &rows))
        return;
    if (json_member(facts, "cut", &cut) && json_integer(&cut, &n) && n > 0)
        printf("  %-10s  %" PRId64 " of the texts, at %s\n", "cut", n,
               text_counted(shape->length, "byte").text);
    printf("\n%ld labels:\n", shape->classes);
    bool more = true;
    for (long k = 0; more && k < MOST_LABELS; k++) {
        const char *name;
        char shown[LABEL_COLUMNS],
            count[32]; /* in quotes: of white space at its ends nothing shows */
        label.text = facts->text;
        if (!json_string(&label, &name) || !json_integer(&rows, &n))
            return;
        printf("  %-10ld  %s row%s  \"%s\"\n", k, text_count(n, count, sizeof count),
               text_plural(n), text_shown(name, shown, sizeof shown));
        if (!json_more(&label, ']', &more) || !json_more(&rows, ']', &more))
            return;
    }
    if (shape->classes > MOST_LABELS)
        printf("  and %ld more\n", shape->classes - MOST_LABELS);
}

static enum status print_facts(const char *text, const struct task_shape *shape, struct message *m)
{
    char warning[256];
    size_t size = strlen(text);
    char *memory = malloc(size + 1);
    if (!memory)
        return status_no_memory(m, "what a file holds");
    struct json facts = {.start = (const unsigned char *)text,
                         .next = (const unsigned char *)text,
                         .end = (const unsigned char *)text + size,
                         .place = "what a file holds",
                         .text = memory,
                         .m = m};
    print_labels(&facts, shape);
    free(memory);
    if (survey_warning(text, warning, sizeof warning))
        printf("\nNote: %s.\n", warning);
    return STATUS_OK;
}

/* "the training part", "the last 4,194,304 bytes of the training part", or "the last 131,072 bytes
 * of the training part of each of 32 stretches". */
static void add_stretch(struct text_buffer *b, const char *which, int64_t bytes, int64_t all,
                        const char *part, int64_t stretches)
{
    char count[32];
    if (bytes < all)
        text_add(b, "the %s %s bytes of ", which,
                 text_count(bytes / stretches, count, sizeof count));
    text_add(b, "the %s part", part);
    if (bytes < all && stretches > 1)
        text_add(b, " of each of %" PRId64 " stretches", stretches);
}

static enum status print_anchors(struct task_source *source, const struct point *p,
                                 struct message *m)
{
    struct task_anchors a;
    struct text_buffer b = {0};
    enum status s = p->task->file->anchors(source, &a, m);
    if (s != STATUS_OK || a.count == 0)
        return s;
    text_add(&b, "To compare with: bits per byte of adaptive byte models, which know as many bytes "
                 "before as their order says, learned from ");
    add_stretch(&b, "last", a.learned, a.train, "training", a.stretches);
    text_add(&b, ", on ");
    add_stretch(&b, "first", a.tested, a.test, "test", a.stretches);
    if (b.out_of_memory)
        s = status_no_memory(m, "a paragraph");
    else
        text_paragraph(stdout, b.text, 0, 0, LINE_COLUMNS);
    for (int k = 0; s == STATUS_OK && k < a.count; k++)
        printf("  order %d     %.3f\n", k, a.bits_per_byte[k]);
    free(b.text);
    return s;
}

/* With the file open. */
static enum status print_source(struct arena *a, const struct point *p,
                                const struct task_shape *shape, long index, struct message *m)
{
    struct task_source *source;
    enum status s = p->task->file->open(a, p->task_options, &source, m);
    if (s != STATUS_OK)
        return s;
    s = print_example(a, source, p, shape, index, m);
    if (s == STATUS_OK)
        s = print_anchors(source, p, m);
    p->task->file->close(source);
    return s;
}

enum status tasks_file_print(const struct point *p, const struct task_shape *shape,
                             const char *facts, long index, struct message *m)
{
    if (index > shape->part[TASK_TEST])
        return status_fail(m, STATUS_BAD_INPUT, "--example is %ld, but the test part has %s", index,
                           text_counted(shape->part[TASK_TEST], "example").text);
    print_file(p, shape);
    enum status s = print_facts(facts, shape, m);
    if (s != STATUS_OK)
        return s;
    printf("\nChance accuracy: %.4g\n", shape->chance);
    jmp_buf exhausted;
    struct arena arena;
    arena_init(&arena, &exhausted);
    s = setjmp(exhausted) ? status_no_memory(m, "an example")
                          : print_source(&arena, p, shape, index, m);
    arena_free(&arena);
    return s;
}
