/* The task over a text of a user's own: how it is divided into parts and windows, and what is
 * refused. */
#include "tests/unit/text_task_help.h"

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
    assert_refuses(task_text.file->open(&a, o, &s, &m), STATUS_CORRUPT, message);
    assert_null(s);
    task_text.file->close(s);
    arena_free(&a);
}

/* Whether its rows are as many, or none that can be read: it is another file. */
static void another_file_is_refused(void **state)
{
    (void)state;
    static const char *const same_size[] = {
        "text,label\naaaaa,x\nb,x\nc,x\na,y\ne,y\nf,y\n",  /* a text */
        "text,label\naaaaa,z\nb,x\nc,x\nd,y\ne,y\nf,y\n",  /* a label more */
        "text,label\naaaaa,x\nbbbbb,x\nd,y\ne,y\nf,y\n",   /* a row less */
        "text,label\na,x\ng,x\nb,x\nc,x\nd,y\ne,y\nf,y\n", /* a row more */
        "text,label\n\"aaaaaxxxxxxxxxxxxxxxxxxxxxxxxxx",   /* no rows */
    };
    static const char rows[] = "text,label\naaaaa,x\nb,x\nc,x\nd,y\ne,y\nf,y\n";
    struct opened o;
    write_file("rows.csv", rows, sizeof rows - 1);
    survey_and_open(&o, TEXT_CLASSIFY, 8, 0);
    struct text_options options = o.options;
    close_all(&o);
    for (size_t i = 0; i < sizeof same_size / sizeof *same_size; i++)
        assert_open_refuses(&options, same_size[i], sizeof rows - 1,
                            " has other bytes than when it was first read (SHA-256 ");
    assert_open_refuses(
        &options, rows, sizeof rows - 3,
        ": has 37 bytes, but had 39 when it was first read: it is another file now");
    options.test_rows = 3; /* in a results file that somebody changed */
    assert_open_refuses(&options, rows, sizeof rows - 1,
                        ": has other rows than when it was first read");
}

static void a_file_cut_while_it_is_used_is_noticed(void **state)
{
    (void)state;
    static const char rows[] = "text,label\na,x\nb,x\nc,x\nd,y\ne,y\nf,y\n";
    for (int mode = 0; mode < 2; mode++) {
        struct opened o;
        struct rng r = rng_at(1, RNG_DATA, 0, 0);
        if (mode == TEXT_LM)
            write_parts(1000);
        else
            write_file("rows.csv", rows, sizeof rows - 1);
        survey_and_open(&o, mode, 8, 0);
        assert_int_equal(truncate(path, 5), 0);
        assert_fails(
            task_text.file->read(o.source, TASK_TEST, 0, 1, o.inputs, o.targets, o.padding, &m),
            STATUS_CORRUPT, ": was truncated while it was read");
        assert_refuses(task_text.file->check(o.source, false, &m), STATUS_CORRUPT,
                       " changed while it was in use (5 bytes, not ");
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
        cmocka_unit_test_teardown(another_file_is_refused, remove_file),
        cmocka_unit_test_teardown(a_file_cut_while_it_is_used_is_noticed, remove_file),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
