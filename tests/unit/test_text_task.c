/* The task over a user's own file: what is refused, how the file is divided, and what examples
 * hold. Files are made in a folder of this process's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "datasets/task_text.h"
#include "engine/base/arena.h"
#include "engine/base/sha256.h"
#include "engine/base/text.h"
#include "tests/unit/own_file.h"

/* ---- a task over a file ---- */

struct opened {
    struct text_options options;
    struct task_shape shape;
    struct text_buffer facts;
    struct arena arena;
    struct task_source *source;
    int32_t inputs[64], targets[64];
    uint8_t padding[64];
};

static void set_options(struct text_options *o, enum text_mode_index mode, int64_t length)
{
    option_defaults(task_text.options, o);
    o->mode = mode;
    o->length = length;
    strcpy(o->file, path);
}

static void open_again(struct opened *o)
{
    assert_true(o->options.length <= 64);
    if (task_text.shape(&o->options, &o->shape, &m) != STATUS_OK)
        fail_msg("%s", m.text);
    arena_init(&o->arena, NULL);
    if (task_text.file->open(&o->arena, &o->options, &o->source, &m) != STATUS_OK)
        fail_msg("%s", m.text);
}

static void survey_and_open(struct opened *o, enum text_mode_index mode, int64_t length,
                            int64_t instance)
{
    memset(o, 0, sizeof *o);
    set_options(&o->options, mode, length);
    o->options.instance = instance;
    if (task_text.file->survey(&o->options, &o->facts, &m) != STATUS_OK)
        fail_msg("%s", m.text);
    open_again(o);
}

static void close_all(struct opened *o)
{
    task_text.file->close(o->source);
    arena_free(&o->arena);
    free(o->facts.text);
}

static void read_one(struct opened *o, enum task_part part, int64_t i, int64_t n)
{
    memset(o->inputs, 0x11, sizeof o->inputs);
    memset(o->targets, 0x11, sizeof o->targets);
    memset(o->padding, 0x11, sizeof o->padding);
    if (task_text.file->read(o->source, part, i, n, o->inputs, o->targets, o->padding, &m))
        fail_msg("%s", m.text);
}

static void draw_one(struct opened *o, uint32_t seed, uint32_t element)
{
    struct rng r = rng_at(seed, RNG_DATA, 5, element);
    if (task_text.file->draw(o->source, &r, o->inputs, o->targets, o->padding, &m))
        fail_msg("%s", m.text);
}

/* Bytes that say which part they are in: 0 to 79, 80 to 159, 160 to 239. */
static void write_parts(int size)
{
    unsigned char bytes[2000];
    int last[TASK_PARTS] = {size * 8 / 10, size * 9 / 10, size};
    for (int i = 0, part = 0; i < size; i++) {
        part += i == last[part];
        bytes[i] = (unsigned char)(80 * part + (i - (part ? last[part - 1] : 0)) % 80);
    }
    write_file("parts.txt", bytes, (size_t)size);
}

/* Windows of a part follow each other, each byte but the part's first is a target once, and none is
 * of another part. */
static void windows_stay_in_their_part(void **state)
{
    (void)state;
    static const struct {
        int size;
        long length;
    } list[] = {{20, 1}, {1000, 7}, {1009, 16}, {997, 33}, {170, 16}, {1999, 64}};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        struct opened o;
        write_parts(list[k].size);
        survey_and_open(&o, TEXT_LM, list[k].length, 0);
        for (int p = 0; p < TASK_PARTS; p++) {
            int64_t n = o.shape.part[p];
            int first = list[k].size * (p ? p + 7 : 0) / 10;
            int last = list[k].size * (p + 8) / 10;
            assert_int_equal(n, (last - first - 1) / list[k].length);
            for (int64_t i = 0; i < n; i++) {
                read_one(&o, (enum task_part)p, i, n);
                for (int64_t t = 0; t < list[k].length; t++) {
                    int64_t at = i * list[k].length + t;
                    assert_int_equal(o.inputs[t], 80 * p + at % 80);
                    assert_int_equal(o.targets[t], 80 * p + (at + 1) % 80);
                }
                assert_int_equal(o.padding[0], 0x11); /* not touched */
            }
        }
        close_all(&o);
    }
}

static void training_windows_begin_anywhere(void **state)
{
    (void)state;
    enum { SIZE = 60, LENGTH = 5, BEGINNINGS = 48 - LENGTH };
    int count[BEGINNINGS] = {0};
    struct opened o;
    write_parts(SIZE);
    survey_and_open(&o, TEXT_LM, LENGTH, 0);
    for (uint32_t i = 0; i < 4000; i++) {
        draw_one(&o, 1, i);
        assert_in_range(o.inputs[0], 0, BEGINNINGS - 1);
        count[o.inputs[0]]++;
        for (int t = 0; t < LENGTH; t++)
            assert_int_equal(o.targets[t], o.inputs[0] + t + 1);
    }
    double chi_square = 0, expected = 4000. / BEGINNINGS;
    for (int i = 0; i < BEGINNINGS; i++)
        chi_square += (count[i] - expected) * (count[i] - expected) / expected;
    assert_true(chi_square < 87.5); /* .9999 quantile, 42 degrees */
    close_all(&o);
}

static void a_draw_depends_on_its_numbers_alone(void **state)
{
    (void)state;
    static const char rows[] = "text,label\na,1\nb,1\nc,1\nd,1\ne,1\nf,2\ng,2\nh,2\ni,2\nj,2\n";
    for (int mode = 0; mode < 2; mode++) {
        struct opened o, p;
        if (mode == TEXT_LM)
            write_parts(1000);
        else
            write_file("rows.csv", rows, sizeof rows - 1);
        survey_and_open(&o, mode, 4, 0);
        survey_and_open(&p, mode, 4, 0);
        int differ = 0;
        for (uint32_t i = 0; i < 50; i++) {
            draw_one(&o, 1, i);
            draw_one(&p, 2, i);
            differ += memcmp(o.inputs, p.inputs, 16) != 0;
            read_one(&p, TASK_TEST, 0, 1); /* whatever happened before */
            draw_one(&p, 1, i);
            assert_memory_equal(o.inputs, p.inputs, 16);
            assert_int_equal(o.targets[0], p.targets[0]);
        }
        assert_true(differ > 25);
        close_all(&o);
        close_all(&p);
        remove(path);
    }
}

/* Some of a part: in its order, none twice, the gaps between them as equal as they can be. */
static void some_examples_are_spread_over_their_part(void **state)
{
    (void)state;
    struct opened o;
    write_parts(780); /* the test part has 78 bytes, which differ */
    survey_and_open(&o, TEXT_LM, 1, 0);
    int64_t all = o.shape.part[TASK_TEST];
    assert_int_equal(all, 77);
    for (int64_t n = 1; n <= all; n++)
        for (int64_t i = 0, last = 0; i < n; i++) {
            read_one(&o, TASK_TEST, i, n);
            int64_t at = o.inputs[0] - 160;
            assert_true(i ? at - last == all / n || at - last == (all + n - 1) / n : at == 0);
            assert_true(i < n - 1 || at == all - (all + n - 1) / n);
            last = at;
        }
    close_all(&o);
}

static void a_text_that_is_too_short_is_refused(void **state)
{
    (void)state;
    struct text_options o;
    struct task_shape s;
    struct text_buffer facts = {0};
    write_parts(170);
    set_options(&o, TEXT_LM, 17);
    assert_int_equal(task_text.file->survey(&o, &facts, &m), STATUS_OK);
    assert_int_equal(task_text.shape(&o, &s, &m), STATUS_BAD_INPUT);
    assert_string_equal(
        m.text,
        "task.length is 17, but a tenth of the 170 bytes of task.file, to test on, does not "
        "hold that many and one more; give a file of 180 bytes or more, or make "
        "task.length 16 or less");
    assert_string_equal(s.at_fault[0], "task.length");
    o.size = 12;
    assert_int_equal(task_text.shape(&o, &s, &m), STATUS_BAD_INPUT);
    assert_string_equal(
        m.text, "task.length is 17, but a tenth of the 12 bytes of task.file, to test on, does not "
                "hold that many and one more; give a file of 180 bytes or more");
    o.size = 180;
    assert_int_equal(task_text.shape(&o, &s, &m), STATUS_OK);
    o.instance = 1;
    assert_int_equal(task_text.shape(&o, &s, &m), STATUS_BAD_INPUT);
    assert_string_equal(m.text, "task.instance is 1, but with task.mode lm nothing is drawn but "
                                "windows: the parts of a text are fixed; allowed: only 0");
    o.instance = 0;
    o.classes = 255; /* in a results file that somebody changed */
    assert_int_equal(task_text.shape(&o, &s, &m), STATUS_BAD_INPUT);
    assert_string_equal(m.text, "task.classes is 255, but bytes have 256 classes");
    o.size = 0;
    assert_int_equal(task_text.shape(&o, &s, &m), STATUS_BAD_INPUT);
    assert_string_equal(m.text, "task.file must be given: the text to learn from");
    free(facts.text);
}

/* ---- rows ---- */

enum { ROWS = 200, LABELS = 4 };
static const int label_rows[LABELS] = {3, 14, 83, 100};
static const int held_rows[LABELS] = {1, 1, 8, 10}; /* of each, to validate and to test on */

/* Row i has the text "i" and one of the labels 3, 2, 1, 0 in turn, until each has its number. */
static void write_rows(const char *name, bool csv)
{
    struct text_buffer b = {0};
    int left[LABELS];
    memcpy(left, label_rows, sizeof left);
    text_add(&b, csv ? "label,text\n" : "");
    for (int i = 0, label = 0; i < ROWS; i++) {
        do
            label = (label + LABELS - 1) % LABELS;
        while (left[label] == 0);
        left[label]--;
        text_add(&b, csv ? "%d,%d\n" : "{\"label\":%d,\"text\":\"%d\"}\n", label, i);
    }
    assert_false(b.out_of_memory);
    write_file(name, b.text, strlen(b.text));
    free(b.text);
}

/* The number that the example's text is. */
static int row_of(const struct opened *o)
{
    int row = 0;
    for (long t = 0; t < o->options.length; t++) {
        if (!o->padding[t])
            row = 10 * row + o->inputs[t] - '0';
        else
            assert_int_equal(o->inputs[t], 0);
        assert_true(o->padding[t] == (o->inputs[t] == 0));
    }
    return row;
}

/* part_of[row], filled from reading all parts; checks that each has its rows in order, with the
 * share of every label, and that no row is in two. */
static void read_split(struct opened *o, int part_of[ROWS])
{
    int seen = 0;
    for (int i = 0; i < ROWS; i++)
        part_of[i] = -1;
    for (int p = 0; p < TASK_PARTS; p++) {
        int count[LABELS] = {0}, last = -1;
        for (int64_t i = 0; i < o->shape.part[p]; i++) {
            read_one(o, (enum task_part)p, i, o->shape.part[p]);
            int row = row_of(o);
            assert_true(row > last && row < ROWS && part_of[row] < 0);
            part_of[row] = p;
            last = row;
            seen++;
            assert_in_range(o->targets[0], 0, LABELS - 1);
            count[o->targets[0]]++;
            assert_int_equal(o->targets[1], 0x11111111);
        }
        for (int k = 0; k < LABELS; k++)
            assert_int_equal(count[k],
                             p == TASK_TRAIN ? label_rows[k] - 2 * held_rows[k] : held_rows[k]);
    }
    assert_int_equal(seen, ROWS);
}

static void rows_are_divided_by_label(void **state)
{
    (void)state;
    struct opened o;
    int first[ROWS], same[ROWS], other[ROWS];
    write_rows("rows.csv", true);
    survey_and_open(&o, TEXT_CLASSIFY, 5, 0);
    read_split(&o, first);
    close_all(&o);
    survey_and_open(&o, TEXT_CLASSIFY, 5, 0);
    read_split(&o, same);
    close_all(&o);
    survey_and_open(&o, TEXT_CLASSIFY, 5, UINT32_MAX);
    read_split(&o, other);
    close_all(&o);
    assert_memory_equal(first, same, sizeof first);
    assert_memory_not_equal(first, other, sizeof first);
    remove(path);
    write_rows("rows.jsonl", false);
    survey_and_open(&o, TEXT_CLASSIFY, 5, 0);
    read_split(&o, same);
    assert_memory_equal(first, same, sizeof first); /* whatever the form */
    for (uint32_t i = 0; i < 1000; i++) {
        draw_one(&o, 3, i);
        assert_int_equal(first[row_of(&o)], TASK_TRAIN);
    }
    assert_string_equal(task_text.file->label(o.source, 2), "2");
    close_all(&o);
}

/* Which rows are tested on is part of the meaning of every stored result. */
static void the_split_is_unchanged(void **state)
{
    (void)state;
    struct opened o;
    int part_of[ROWS];
    char hash[65];
    write_rows("rows.csv", true);
    survey_and_open(&o, TEXT_CLASSIFY, 5, 7);
    read_split(&o, part_of);
    close_all(&o);
    sha256_hex(part_of, sizeof part_of, hash);
    assert_string_equal(hash, "fdd705a3488ee28c4d4a238dc3492f405c5df73184cc89c4a34a89a1ab632c63");
}

static const char golden[] = "text,label\n"
                             "\"ab\"\"c\nd\",yes\n"
                             "abcdefgh,\"no, \"\"n\"\"\"\n"
                             "\xc3\xa9,yes\n"
                             "x,yes\n"
                             "y,\"no, \"\"n\"\"\"\n"
                             "abcdef,\"no, \"\"n\"\"\"\n";

static void examples_are_the_bytes_of_a_row(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int target;
    } list[] = {{"ab\"c\nd", 1}, {"abcdef", 0}, {"\xc3\xa9", 1}, {"x", 1}, {"y", 0}};
    struct opened o;
    int found = 0;
    write_file("rows.csv", golden, sizeof golden - 1);
    survey_and_open(&o, TEXT_CLASSIFY, 6, 0);
    for (int p = 0; p < TASK_PARTS; p++)
        for (int64_t i = 0; i < o.shape.part[p]; i++) {
            char text[7] = "";
            read_one(&o, (enum task_part)p, i, o.shape.part[p]);
            for (int t = 0; t < 6; t++)
                text[t] = (char)o.inputs[t];
            for (size_t k = 0; k < sizeof list / sizeof *list; k++)
                found += strcmp(text, list[k].text) == 0 && o.targets[0] == list[k].target;
        }
    assert_int_equal(found, 6); /* two rows begin with abcdef */
    assert_true(o.shape.padded && o.shape.per_sequence && !o.shape.causal && !o.shape.bytes);
    assert_int_equal(o.shape.classes, 2);
    assert_string_equal(task_text.file->label(o.source, 0), "no, \"n\"");
    assert_string_equal(task_text.file->label(o.source, 1), "yes");
    close_all(&o);
}

static void facts_hold_what_a_survey_found(void **state)
{
    (void)state;
    struct opened o;
    write_file("rows.csv", golden, sizeof golden - 1);
    survey_and_open(&o, TEXT_CLASSIFY, 6, 0);
    char hash[65], expected[512];
    sha256_hex(golden, sizeof golden - 1, hash);
    snprintf(expected, sizeof expected,
             "{\"sha256\":\"%s\",\"size\":%zu,\"classes\":2,\"rows\":6,\"test_rows\":2,"
             "\"majority\":0.5,\"entropy\":0.6931,\"cut\":1,\"labels\":[\"no, \\\"n\\\"\",\"yes\"],"
             "\"label_rows\":[3,3]}",
             hash, sizeof golden - 1);
    assert_string_equal(o.facts.text, expected);
    close_all(&o);
    write_file("rows.csv", "aababcaaaabbbbbbccab", 20);
    survey_and_open(&o, TEXT_LM, 1, 0);
    sha256_hex("aababcaaaabbbbbbccab", 20, hash);
    snprintf(expected, sizeof expected,
             "{\"sha256\":\"%s\",\"size\":20,\"classes\":256,\"rows\":0,\"test_rows\":0,"
             "\"majority\":0.45,\"entropy\":1.0104}",
             hash);
    assert_string_equal(o.facts.text, expected);
    assert_true(o.shape.bytes && o.shape.causal && !o.shape.padded && !o.shape.per_sequence);
    assert_null(task_text.file->label(o.source, 97));
    close_all(&o);
}

static void assert_survey_refuses(const char *name, const char *file, const char *message)
{
    struct text_options o;
    struct text_buffer facts = {0};
    write_file(name, file, strlen(file));
    set_options(&o, TEXT_CLASSIFY, 8);
    assert_fails(task_text.file->survey(&o, &facts, &m), STATUS_BAD_INPUT, message);
    assert_null(facts.text);
    remove(path);
}

static void files_without_classes_are_refused(void **state)
{
    (void)state;
    assert_survey_refuses("a.csv", "text,label\n", ": has no rows");
    assert_survey_refuses("a.csv", "\n\n", ": has no rows");
    assert_survey_refuses("a.csv", "text,label\na,x\nb,x\nc,x\n",
                          ": all rows have the label x; there is nothing to tell apart");
    assert_survey_refuses("a.jsonl",
                          "{\"text\":\"a\",\"label\":1}\n{\"text\":\"b\",\"label\":2}\n"
                          "{\"text\":\"b\",\"label\":2}\n{\"text\":\"b\",\"label\":2}\n",
                          ", line 1, column 21: only 1 row has the label 1; it takes 3 or more, to "
                          "train, validate and test on: add some, or leave the label out");
    assert_survey_refuses("a.csv", "text,label\na,x\nb,x\nc,x\na,y\n\na,y\n",
                          ", line 5, column 3: only 2 rows have the label y; it takes 3 or more, "
                          "to train, validate and test on: add some, or leave the label out");
    assert_survey_refuses("a.txt", "text,label\n",
                          ": rows are read from CSV or JSON Lines; give a file whose name ends in "
                          ".csv, .jsonl, .ndjson or .json");
    struct text_buffer b = {0};
    text_add(&b, "text,label\n");
    for (int i = 0; i <= 1024; i++)
        text_add(&b, "x,%d\n", i);
    assert_survey_refuses("a.csv", b.text,
                          ", line 1026, column 3: this is the 1025th different label; at most 1024 "
                          "are allowed: does `label` name a class?");
    free(b.text);
}

static void rows_that_cannot_be_are_refused(void **state)
{
    (void)state;
    static const int64_t list[][3] = {/* rows, test_rows, classes */
                                      {100, 50, 2},
                                      {100, 49, 3},
                                      {100, 2, 3},
                                      {100, 10, 1},
                                      {100000, 10000, 1025}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        struct text_options o;
        struct task_shape s;
        char expected[128];
        set_options(&o, TEXT_CLASSIFY, 8);
        o.size = 1000;
        o.rows = list[i][0], o.test_rows = list[i][1], o.classes = list[i][2];
        snprintf(expected, sizeof expected,
                 "no file has task.rows %d, task.test_rows %d and task.classes %d", (int)o.rows,
                 (int)o.test_rows, (int)o.classes);
        assert_int_equal(task_text.shape(&o, &s, &m), STATUS_BAD_INPUT);
        assert_string_equal(m.text, expected);
    }
}

/* ---- another file than the one that was surveyed ---- */

static void assert_open_refuses(const struct text_options *o, const char *file, size_t size,
                                const char *message)
{
    struct arena a;
    struct task_source *s;
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(file, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
    arena_init(&a, NULL);
    assert_fails(task_text.file->open(&a, o, &s, &m), STATUS_CORRUPT, message);
    assert_null(s);
    task_text.file->close(s);
    arena_free(&a);
}

static void another_file_is_refused(void **state)
{
    (void)state;
    static const char *const same_size[] = {
        "text,label\naaaaa,z\nb,x\nc,x\na,y\na,y\na,y\n",  /* a label more */
        "text,label\naaaaa,x\nbbbbb,x\na,y\na,y\na,y\n",   /* a row less */
        "text,label\na,x\na,x\nb,x\nc,x\na,y\na,y\na,y\n", /* a row more */
        "text,label\naaaaa,x\nb,y\nc,y\na,y\na,y\na,y\n",  /* as many held, of other labels */
    };
    static const char rows[] = "text,label\naaaaa,x\nb,x\nc,x\na,y\na,y\na,y\n";
    struct opened o;
    write_file("rows.csv", rows, sizeof rows - 1);
    survey_and_open(&o, TEXT_CLASSIFY, 8, 0);
    struct text_options options = o.options;
    close_all(&o);
    for (size_t i = 0; i < sizeof same_size / sizeof *same_size; i++) {
        assert_int_equal(strlen(same_size[i]), sizeof rows - 1);
        assert_open_refuses(&options, same_size[i], sizeof rows - 1,
                            ": has other rows than when it was first read");
    }
    assert_open_refuses(
        &options, rows, sizeof rows - 3,
        ": has 37 bytes, but had 39 when it was first read: it is another file now");
    options.test_rows = 3; /* as of a file whose labels have other numbers of rows */
    assert_open_refuses(&options, rows, sizeof rows - 1,
                        ": has other rows than when it was first read");
}

static void a_file_cut_while_it_is_used_is_noticed(void **state)
{
    (void)state;
    static const char rows[] = "text,label\na,x\nb,x\nc,x\na,y\na,y\na,y\n";
    for (int mode = 0; mode < 2; mode++) {
        struct opened o;
        struct rng r = rng_at(1, RNG_DATA, 0, 0);
        if (mode == TEXT_LM)
            write_parts(1000);
        else
            write_file("rows.csv", rows, sizeof rows - 1);
        survey_and_open(&o, mode, 8, 0);
        assert_true(task_text.file->descriptor(o.source) >= 0);
        assert_int_equal(truncate(path, 5), 0);
        assert_fails(
            task_text.file->read(o.source, TASK_TEST, 0, 1, o.inputs, o.targets, o.padding, &m),
            STATUS_CORRUPT, ": was truncated while it was read");
        assert_fails(task_text.file->draw(o.source, &r, o.inputs, o.targets, o.padding, &m),
                     STATUS_CORRUPT, ": was truncated while it was read");
        close_all(&o);
        remove(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(windows_stay_in_their_part, remove_file),
        cmocka_unit_test_teardown(training_windows_begin_anywhere, remove_file),
        cmocka_unit_test_teardown(a_draw_depends_on_its_numbers_alone, remove_file),
        cmocka_unit_test_teardown(some_examples_are_spread_over_their_part, remove_file),
        cmocka_unit_test_teardown(a_text_that_is_too_short_is_refused, remove_file),
        cmocka_unit_test_teardown(rows_are_divided_by_label, remove_file),
        cmocka_unit_test_teardown(the_split_is_unchanged, remove_file),
        cmocka_unit_test_teardown(examples_are_the_bytes_of_a_row, remove_file),
        cmocka_unit_test_teardown(facts_hold_what_a_survey_found, remove_file),
        cmocka_unit_test_teardown(files_without_classes_are_refused, remove_file),
        cmocka_unit_test(rows_that_cannot_be_are_refused),
        cmocka_unit_test_teardown(another_file_is_refused, remove_file),
        cmocka_unit_test_teardown(a_file_cut_while_it_is_used_is_noticed, remove_file),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
