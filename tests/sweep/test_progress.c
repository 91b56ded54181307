/* The live view: plain lines, and frames on a pseudo-terminal read back through a model of one. */
#include <math.h>
#include <sys/wait.h>

#include "sweep/run/frame.h"
#include "sweep/run/progress.h"
#include "tests/sweep/terminal_help.h"
#include "tests/test.h"

/* A view on a terminal, and what was last written there, which its screen shows. */
static struct {
    struct terminal t;
    struct screen s;
    struct progress_view *v;
    char text[1 << 16];
} on;

static void open_view(int columns, const char *sweep, int slots, enum metric metric)
{
    on.t = terminal_open(columns);
    screen_init(&on.s, columns);
    on.v = progress_new(on.t.f, false, sweep, metric);
    progress_slots(on.v, slots);
}

static void read_screen(void)
{
    terminal_read(&on.t, on.text, sizeof on.text);
    screen_write(&on.s, on.text); /* asserts that nothing wraps */
}

static void draw(double now_s)
{
    progress_draw(on.v, now_s);
    read_screen();
}

static void close_view(void)
{
    progress_finish(on.v);
    read_screen();
    terminal_close(&on.t);
}

/* A line of the screen begins with this. */
static void line_is(int line, const char *expected)
{
    if (strncmp(on.s.cell[line], expected, strlen(expected)) != 0)
        fail_msg("%s\nis no %s", on.s.cell[line], expected);
}

static void start(struct progress_view *v, int slot, const char *label, int64_t trial_id)
{
    const struct progress_trial t = {.trial_id = trial_id, .label = label};
    progress_trial_started(v, slot, &t);
}

static void count(struct progress_view *v, long completed, long failed, long planned)
{
    const struct counts c = {.planned = planned,
                             .ended = completed + failed,
                             .trials = {[TRIAL_COMPLETED] = completed, [TRIAL_FAILED] = failed}};
    progress_counts(v, &c);
}

TEST(plain_lines)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = tmpfile();
    environment("xterm", "C", "");
    struct progress_view *v = progress_new(f, false, "gather", METRIC_VAL_ACC);
    progress_slots(v, 2);
    count(v, 10, 1, 30);
    start(v, 0, "heads=8 seed=1", 12);
    start(v, 1, "", 13);
    progress_update(v, 0, 10, 100, 1.5, 0.25);
    progress_draw(v, 1.0);
    progress_trial_ended(v, 0, TRIAL_COMPLETED, 0.998);
    progress_trial_ended(v, 1, TRIAL_FAILED, NAN);
    start(v, 0, "late\033[31m", 14);
    progress_trial_ended(v, 0, TRIAL_QUEUED, NAN);
    start(v, 1, "at its rung", 15);
    progress_trial_paused(v, 1, 150, 0.5);
    progress_note(v, "a note");
    progress_finish(v);
    rewind(f);
    assert_true(getdelim(&text, &size, '\0', f) > 0);
    assert_non_null(strstr(text, "12/30  gather heads=8 seed=1  val .998  "));
    assert_non_null(strstr(text, "\n13/30  gather trial 13  failed  "));
    assert_non_null(strstr(text, "\n13/30  gather late\\u001b[31m  queued again  "));
    assert_non_null(strstr(text, "\n13/30  gather at its rung  paused at step 150  val .500  "));
    assert_non_null(strstr(text, "\na note\n"));
    assert_null(strchr(text, '\033'));
    free(text);
    fclose(f);
}

TEST(quiet_prints_notes_only)
{
    struct terminal t = terminal_open(100);
    char text[4096];
    environment("xterm", "C", "");
    struct progress_view *v = progress_new(t.f, true, "gather", METRIC_VAL_ACC);
    progress_slots(v, 1);
    count(v, 0, 0, 3);
    start(v, 0, "x", 1);
    progress_draw(v, 1.0);
    progress_note(v, "only this");
    progress_trial_ended(v, 0, TRIAL_COMPLETED, 1.0);
    progress_finish(v);
    terminal_read(&t, text, sizeof text);
    assert_string_equal(text, "only this\n");
    terminal_close(&t);
}

/* In a process group of its own behind the one in front: what `&` and Ctrl-Z with bg lead to. */
static int in_background(struct terminal *t)
{
    if (setsid() < 0 || ioctl(fileno(t->f), TIOCSCTTY, 0) != 0)
        return 1;
    pid_t child = fork();
    if (child == 0) {
        if (setpgid(0, 0) != 0)
            _exit(2);
        struct progress_view *v = progress_new(t->f, false, "gather", METRIC_VAL_ACC);
        progress_slots(v, 1);
        count(v, 0, 0, 3);
        start(v, 0, "x", 1);
        progress_draw(v, 1.0);
        progress_trial_ended(v, 0, TRIAL_COMPLETED, 0.5);
        progress_note(v, "a note");
        progress_finish(v);
        _exit(0);
    }
    int status;
    return waitpid(child, &status, 0) == child && status == 0 ? 0 : 3;
}

TEST(the_background_draws_nothing)
{
    struct terminal t = terminal_open(100);
    char text[4096];
    int status;
    environment("xterm", "C", "");
    pid_t child = fork();
    if (child == 0)
        _exit(in_background(&t));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    terminal_read(&t, text, sizeof text);
    assert_null(strchr(text, '\033'));
    assert_non_null(strstr(text, "1/3  gather x  val .500  "));
    assert_non_null(strstr(text, "\na note\n"));
    terminal_close(&t);
}

TEST(long_labels_keep_both_ends)
{
    static const struct {
        const char *label;
        int columns;
        const char *shown;
    } cases[] = {
        {"heads=2 lr=0.001 seed=1", 16, "heads=2.. seed=1"},
        {"größe=2 größe=3", 8, "grö..e=3"},
        {"seed=1", 6, "seed=1"},
        {"seed=1", 3, "see"},
        {"\u4e2d\u6587\u4e2d\u6587\u4e2d\u6587", 9, "\u4e2d..\u4e2d\u6587"}, /* never halved */
    };
    struct line l;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        line_clear(&l);
        line_shorten(&l, cases[i].label, cases[i].columns);
        assert_string_equal(l.text, cases[i].shown);
    }
    assert_int_equal(l.columns, 8);
    line_cut(&l, 5);
    assert_string_equal(l.text, "\u4e2d..");
}

TEST(frames_are_redrawn_in_place)
{
    environment("xterm", "C", "1");
    open_view(100, "gather", 3, METRIC_VAL_ACC);
    count(on.v, 10, 2, 30);
    start(on.v, 0, "heads=8 seed=1", 1);
    start(on.v, 2, "heads=4 seed=1", 2);
    progress_update(on.v, 0, 0, 1500, NAN, NAN);
    progress_update(on.v, 0, 750, 1500, 1.234, 0.873);
    progress_update(on.v, 0, 760, 1500, NAN, NAN); /* the last means stay */
    draw(10.0);
    assert_null(strstr(on.text, "\033[1m")); /* NO_COLOR */
    assert_int_equal(screen_lines(&on.s), 4);
    assert_each(screen_has(&on.s, "760/1500   loss 1.234"), screen_has(&on.s, "acc .873"),
                screen_has(&on.s, "##########----------"), screen_has(&on.s, "starting"),
                screen_has(&on.s, " gather  10/30 "));
    draw(10.1); /* too soon */
    assert_string_equal(on.text, "");
    progress_trial_ended(on.v, 0, TRIAL_COMPLETED, 0.5);
    count(on.v, 11, 2, 30);
    progress_note(on.v, "something lasting");
    draw(10.3);
    assert_int_equal(screen_lines(&on.s), 4); /* the note, the sweep, one trial */
    assert_non_null(strstr(on.s.cell[0], "something lasting"));
    assert_true(screen_has(&on.s, " gather  11/30 "));
    close_view();
    assert_int_equal(screen_lines(&on.s), 1); /* only the note stays */
    assert_each(on.s.row == 1, on.s.column == 0);
}

/* What `status` says of the sweep; trials that run are those that are shown. */
TEST(a_row_as_status_has_it)
{
    static const struct counts counts = {
        .planned = 60,
        .ended = 16,
        .trials = {[TRIAL_COMPLETED] = 12, [TRIAL_FAILED] = 1, [TRIAL_DIVERGED] = 3}};
    environment("xterm", "C", "1");
    open_view(100, "gather", 2, METRIC_VAL_ACC);
    assert_true(progress_live(on.v));
    progress_counts(on.v, &counts);
    start(on.v, 0, "heads=4 seed=0", 4);
    draw(1.0);
    assert_null(strstr(on.text, "\033[2K")); /* no line is blank while it is drawn */
    line_is(0, " sweep   done   running  left  failed  diverged  not needed  time left");
    line_is(1, " gather  12/60        1    43       1         3           0  unknown");
    line_is(2, " heads=4 seed=0 ");
    progress_time_left(on.v, 3600.5);
    progress_trial_ended(on.v, 0, TRIAL_COMPLETED, 1.0);
    start(on.v, 0, "heads=2 seed=1", 2);
    start(on.v, 1, "heads=2 seed=2", 2);
    draw(2.0);
    line_is(1, " gather  13/60        2    41       1         3           0  1 h ");
    assert_int_equal(screen_lines(&on.s), 4);
    terminal_resize(&on.t, 60, 24);
    draw(3.0);
    line_is(0, " sweep   done   running  left  failed  time left");
    close_view();
}

TEST(losses_are_shown_as_losses)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = tmpfile();
    struct progress_view *v = progress_new(f, false, "text", METRIC_VAL_LOSS);
    progress_slots(v, 1);
    start(v, 0, "heads=2 seed=0", 2);
    progress_trial_ended(v, 0, TRIAL_COMPLETED, 3.75);
    progress_finish(v);
    rewind(f);
    assert_true(getdelim(&text, &size, '\0', f) > 0);
    assert_non_null(strstr(text, "heads=2 seed=0  val 3.750 "));
    free(text);
    fclose(f);
}

TEST(frames_fit_any_width)
{
    static const int widths[] = {200, 80, 60, 40, 20, 10, 3};
    environment("xterm", "C.UTF-8", "");
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        open_view(widths[i], "gather", 30, METRIC_VAL_ACC);
        count(on.v, 99000, 900, 100000);
        for (int k = 0; k < 30; k++) {
            start(on.v, k, "a rather long label \xc3\xa9\xc3\xa8 heads=16 seed=1003", k);
            progress_update(on.v, k, 0, 1000000, NAN, NAN);
            progress_update(on.v, k, 999999, 1000000, 12.345, 0.5);
        }
        draw(1.0);
        assert_true(screen_lines(&on.s) <= 24);
        close_view();
    }
}

TEST(narrower_terminal_is_wiped_whole)
{
    environment("xterm", "C", "");
    open_view(120, "gather", 2, METRIC_VAL_ACC);
    count(on.v, 0, 0, 4);
    start(on.v, 0, "heads=8 seed=1", 1);
    progress_update(on.v, 0, 0, 1000, NAN, NAN);
    progress_update(on.v, 0, 10, 1000, 1.0, 0.5);
    draw(1.0);
    terminal_resize(&on.t, 20, 24); /* two lines, of more than 60 and more than 20 columns */
    draw(2.0);
    assert_int_equal(strncmp(on.text, "\r\033[", 3), 0);
    assert_true(atoi(on.text + 3) >= 6);
    close_view();
}

TEST(no_view_is_no_view)
{
    count(NULL, 1, 2, 3);
    start(NULL, 0, "x", 1);
    assert_false(progress_live(NULL));
    progress_update(NULL, 0, 1, 2, 0.0, 0.0);
    progress_trial_ended(NULL, 0, TRIAL_COMPLETED, 0.0);
    progress_note(NULL, "x");
    progress_draw(NULL, 1.0);
    progress_time_left(NULL, 1.0);
    progress_trial_paused(NULL, 0, 1, 1.0);
    progress_finish(NULL);
}
