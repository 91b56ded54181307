/* The task over a text of a user's own: how it is divided into parts and windows, and what is
 * refused. */
#include <math.h>

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

GROUP(set_up, tear_down)

FIXTURE(NULL, remove_file)

/* Windows of a part follow each other, each byte but the part's first is a target once, and none is
 * of another part. */
TEST(windows_stay_in_their_part)
{
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

TEST(training_windows_begin_anywhere)
{
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

TEST(a_draw_depends_on_its_numbers_alone)
{
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

/* Under `split: interleaved`, the stretches by a route of their own: from byte to byte. */
enum { INTERLEAVED_MOST = 4000, REGIONS = TEXT_STRETCHES * TASK_PARTS };

/* region (size): TASK_PARTS * stretch + part of each byte; at (size): its place in there. */
static void interleave(int size, int *region, int *at)
{
    for (int i = 0, stretch = 0, begin = 0; i < size; i++) {
        if (i == size * (stretch + 1) / TEXT_STRETCHES) {
            stretch++;
            begin = i;
        }
        int bytes = size * (stretch + 1) / TEXT_STRETCHES - begin;
        int part = i - begin >= bytes * 9 / 10   ? TASK_TEST
                   : i - begin >= bytes * 8 / 10 ? TASK_VAL
                                                 : TASK_TRAIN;
        region[i] = TASK_PARTS * stretch + part;
        at[i] = i && region[i] == region[i - 1] ? at[i - 1] + 1 : 0;
    }
}

/* Writes a file whose bytes say in which region they are, or where in it. */
static void write_interleaved(int size, const int *what)
{
    unsigned char bytes[INTERLEAVED_MOST];
    for (int i = 0; i < size; i++)
        bytes[i] = (unsigned char)what[i];
    write_file("interleaved.txt", bytes, (size_t)size);
}

/* Every byte of a region but its first is a target once, up to what is left of a window, in the
 * order of the file; none is of another region. */
static void check_interleaved(const int *size_of, int64_t length, bool by_region)
{
    struct opened o;
    survey_and_open_split(&o, TEXT_INTERLEAVED, TEXT_LM, length, 0);
    for (int p = 0; p < TASK_PARTS; p++) {
        int64_t i = 0, n = o.shape.part[p];
        for (int k = 0; k < TEXT_STRETCHES; k++) {
            const int region = TASK_PARTS * k + p;
            for (int64_t w = 0; w < (size_of[region] - 1) / length; w++, i++) {
                read_one(&o, (enum task_part)p, i, n);
                for (int64_t t = 0; t < length; t++) {
                    int64_t at = w * length + t;
                    assert_int_equal(o.inputs[t], by_region ? region : at);
                    assert_int_equal(o.targets[t], by_region ? region : at + 1);
                }
            }
        }
        assert_int_equal(i, n);
    }
    close_all(&o);
    remove(path);
}

TEST(interleaved_windows_stay_in_their_region)
{
    static const int list[][2] = {{512, 1}, {1999, 5}, {3840, 11}, {4000, 9}, {3210, 2}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        int region[INTERLEAVED_MOST], at[INTERLEAVED_MOST], size_of[REGIONS] = {0};
        interleave(list[i][0], region, at);
        for (int k = 0; k < list[i][0]; k++)
            size_of[region[k]]++;
        write_interleaved(list[i][0], region);
        check_interleaved(size_of, list[i][1], true);
        write_interleaved(list[i][0], at);
        check_interleaved(size_of, list[i][1], false);
    }
}

/* Wherever a window may begin it begins as often, in each stretch and within them. */
TEST(interleaved_training_windows_begin_anywhere)
{
    enum { SIZE = 1200, LENGTH = 3, DRAWS = 20000, MOST = 30 };
    int region[INTERLEAVED_MOST], at[INTERLEAVED_MOST], stretch[TEXT_STRETCHES] = {0};
    int place[MOST] = {0}, places[MOST] = {0}, all = 0;
    struct opened o;
    interleave(SIZE, region, at);
    for (int i = 0; i + LENGTH < SIZE; i++)
        if (region[i] % TASK_PARTS == TASK_TRAIN && region[i + LENGTH] == region[i]) {
            places[at[i]]++;
            all++;
        }
    for (int by_region = 0; by_region < 2; by_region++) {
        write_interleaved(SIZE, by_region ? region : at);
        survey_and_open_split(&o, TEXT_INTERLEAVED, TEXT_LM, LENGTH, 0);
        for (uint32_t i = 0; i < DRAWS; i++) {
            draw_one(&o, 1, i);
            if (by_region) {
                assert_int_equal(o.inputs[0] % TASK_PARTS, TASK_TRAIN);
                assert_int_equal(o.targets[LENGTH - 1], o.inputs[0]);
                stretch[o.inputs[0] / TASK_PARTS]++;
            } else {
                assert_in_range(o.inputs[0], 0, MOST - 1);
                assert_int_equal(o.targets[LENGTH - 1], o.inputs[0] + LENGTH);
                place[o.inputs[0]]++;
            }
        }
        close_all(&o);
        remove(path);
    }
    for (int k = 0; k < TEXT_STRETCHES; k++) { /* each has 26 beginnings, or 27 */
        double expected = (double)DRAWS / TEXT_STRETCHES;
        assert_true(fabs(stretch[k] - expected) < 5 * sqrt(expected) + 0.05 * expected);
    }
    for (int k = 0; k < MOST; k++) {
        double expected = (double)DRAWS * places[k] / all;
        assert_true(fabs(place[k] - expected) <= 5 * sqrt(expected));
    }
}

/* Some of a part: in its order, none twice, the gaps between them as equal as they can be. */
TEST(some_examples_are_spread_over_their_part)
{
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

TEST(a_text_that_is_too_short_is_refused)
{
    struct text_options o;
    struct task_shape s;
    struct text_buffer facts = {0};
    write_parts(170);
    set_options(&o, TEXT_LM, 17);
    assert_int_equal(task_text.file->survey(&o, &facts, &m), STATUS_OK);
    assert_int_equal(task_text.shape(&o, &s, &m), STATUS_BAD_INPUT);
    assert_string_equal(
        m.text,
        "task.length is 17, too long for the test part, a tenth of the 170 bytes of task.file; "
        "give a file of 176 bytes or more, or make task.length 16 or less");
    assert_string_equal(s.at_fault[0], "task.length");
    o.split = TEXT_INTERLEAVED;
    assert_int_equal(task_text.shape(&o, &s, &m), STATUS_BAD_INPUT);
    assert_string_equal(
        m.text, "task.length is 17, too long for the test part, a tenth of each of 32 stretches of "
                "the 170 bytes of task.file; give a file of 5632 bytes or more, or use task.split "
                "contiguous");
    o.size = 5631;
    assert_int_equal(task_text.shape(&o, &s, &m), STATUS_BAD_INPUT);
    assert_non_null(strstr(m.text, "5632 bytes or more, or make task.length 16 or less, or use"));
    o.size = 5632;
    assert_int_equal(task_text.shape(&o, &s, &m), STATUS_OK);
    o.split = TEXT_CONTIGUOUS;
    o.size = 175;
    assert_int_equal(task_text.shape(&o, &s, &m), STATUS_BAD_INPUT);
    o.size = 176;
    assert_int_equal(task_text.shape(&o, &s, &m), STATUS_OK);
    o.size = 12;
    assert_int_equal(task_text.shape(&o, &s, &m), STATUS_BAD_INPUT);
    assert_string_equal(m.text, "task.length is 17, too long for the test part, a tenth of the 12 "
                                "bytes of task.file; give a file of 176 bytes or more");
    o.size = 180;
    o.instance = 1;
    assert_int_equal(task_text.shape(&o, &s, &m), STATUS_BAD_INPUT);
    assert_string_equal(m.text, "task.instance is 1, but with task.mode lm the parts of a text are "
                                "fixed, so there is only instance 0; leave it out");
    o.instance = 0;
    o.classes = 255; /* in a results file that somebody changed */
    assert_int_equal(task_text.shape(&o, &s, &m), STATUS_BAD_INPUT);
    assert_string_equal(m.text, "task.classes is 255, but bytes have 256 classes");
    o.size = 0;
    assert_int_equal(task_text.shape(&o, &s, &m), STATUS_BAD_INPUT);
    assert_string_equal(m.text, "task.file must be given: the text to learn from");
    free(facts.text);
}

TEST(rows_are_not_interleaved)
{
    static const char rows[] = "text,label\na,x\nb,x\nc,x\nd,y\ne,y\nf,y\n";
    struct opened o;
    write_file("rows.csv", rows, sizeof rows - 1);
    survey_and_open(&o, TEXT_CLASSIFY, 8, 0);
    o.options.split = TEXT_INTERLEAVED;
    assert_int_equal(task_text.shape(&o.options, &o.shape, &m), STATUS_BAD_INPUT);
    assert_string_equal(m.text,
                        "task.split interleaved is for task.mode lm; rows are drawn from all "
                        "of a file in any case: leave it out");
    assert_string_equal(o.shape.at_fault[0], "task.split");
    close_all(&o);
}

/* A text of two halves, of which the first says nothing of the second: byte models learn from what
 * they are tested on only where parts are alike. */
TEST(anchors_follow_the_split)
{
    enum { SIZE = 64000 };
    static unsigned char bytes[SIZE];
    double bits[2];
    for (int i = 0; i < SIZE; i++)
        bytes[i] = (unsigned char)(i < SIZE / 10 * 9 ? 'a' + i % 3 : 'k' + i % 7 * (i % 7) % 7);
    for (int split = 0; split < 2; split++) {
        struct opened o;
        struct task_anchors anchors;
        write_file("halves.txt", bytes, SIZE);
        survey_and_open_split(&o, (enum text_split)split, TEXT_LM, 16, 0);
        assert_int_equal(task_text.file->anchors(o.source, &anchors, &m), STATUS_OK);
        assert_int_equal(anchors.stretches, split ? 32 : 1);
        assert_int_equal(anchors.train, SIZE / 10 * 8);
        assert_int_equal(anchors.learned, anchors.train);
        assert_int_equal(anchors.test, SIZE / 10);
        assert_int_equal(anchors.tested, anchors.test);
        bits[split] = anchors.bits_per_byte[0];
        close_all(&o);
        remove(path);
    }
    assert_true(bits[0] > bits[1] + 0.5);
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
    assert_refuses(task_text.file->open(&a, o, NULL, false, &s, &m), STATUS_CORRUPT, message);
    assert_null(s);
    task_text.file->close(s);
    arena_free(&a);
}

TEST(another_file_is_refused)
{
    static const char same_size[] = "text,label\n\"aaaaaxxxxxxxxxxxxxxxxxxxxxxxxxx";
    static const char rows[] = "text,label\naaaaa,x\nb,x\nc,x\nd,y\ne,y\nf,y\n";
    struct opened o;
    write_file("rows.csv", rows, sizeof rows - 1);
    survey_and_open(&o, TEXT_CLASSIFY, 8, 0);
    struct text_options options = o.options;
    close_all(&o);
    assert_open_refuses(&options, same_size, sizeof rows - 1,
                        " has changed since it was first read (SHA-256 ");
    assert_open_refuses(&options, rows, sizeof rows - 3,
                        " has changed since it was first read (37 bytes, not 39)");
    options.test_rows = 3; /* in a results file that somebody changed */
    assert_open_refuses(&options, rows, sizeof rows - 1,
                        ": its rows are not those that were first read");
}

TEST(a_file_cut_while_it_is_used_is_noticed)
{
    struct opened o;
    struct rng r = rng_at(1, RNG_DATA, 0, 0);
    write_parts(1000);
    survey_and_open(&o, TEXT_LM, 2, 0);
    assert_int_equal(truncate(path, 5), 0);
    assert_fails(
        task_text.file->read(o.source, TASK_TEST, 0, 1, o.inputs, o.targets, o.padding, &m),
        STATUS_CORRUPT, ": was truncated while it was read");
    assert_fails(task_text.file->draw(o.source, &r, o.inputs, o.targets, o.padding, &m),
                 STATUS_CORRUPT, ": was truncated while it was read");
    assert_refuses(task_text.file->check(o.source, false, &m), STATUS_CORRUPT,
                   " has changed since it was first read (5 bytes, not ");
    close_all(&o);
    remove(path);
}
