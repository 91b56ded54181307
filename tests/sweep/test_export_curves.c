/* Learning curves for other programs: CSV, and TensorBoard's files of events, which are taken apart
 * here by a reader of their own. */
#include "store_help.h"

#include <dirent.h>
#include <math.h>
#include <signal.h>

#include "engine/base/file.h"
#include "sweep/export/event_file.h"
#include "sweep/export/export_csv.h"
#include "sweep/export/export_tensorboard.h"
#include "sweep/worker/stop.h"

#include "tests/test.h"

/* ---- a reader of records and of protocol buffers ---- */

static uint32_t crc32c_slowly(const unsigned char *bytes, size_t n)
{
    uint32_t crc = ~0u;
    for (size_t i = 0; i < n; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0x82f63b78u : crc >> 1;
    }
    return ~crc;
}

static uint64_t fixed(const unsigned char *p, int n)
{
    uint64_t x = 0;
    for (int i = 0; i < n; i++)
        x |= (uint64_t)p[i] << 8 * i;
    return x;
}

static void assert_masked(const unsigned char *bytes, size_t n, const unsigned char *stored)
{
    uint32_t masked = (uint32_t)fixed(stored, 4) - 0xa282ead8u;
    assert_int_equal(masked << 15 | masked >> 17, crc32c_slowly(bytes, n));
}

struct part {
    const unsigned char *at, *end;
};

/* The next record's event; false at the end of the file. */
static bool next_record(struct part *file, struct part *event)
{
    if (file->at == file->end)
        return false;
    assert_true(file->end - file->at > 16);
    size_t n = (size_t)fixed(file->at, 8);
    assert_true(n <= (size_t)(file->end - file->at) - 16);
    assert_masked(file->at, 8, file->at + 8);
    assert_masked(file->at + 12, n, file->at + 12 + n);
    *event = (struct part){file->at + 12, file->at + 12 + n};
    file->at += 16 + n;
    return true;
}

static uint64_t varint(struct part *p)
{
    uint64_t x = 0;
    for (int shift = 0;; shift += 7) {
        assert_each(p->at < p->end, shift < 64);
        x |= (uint64_t)(*p->at & 0x7f) << shift;
        if (*p->at++ < 0x80)
            return x;
    }
}

/* The n-th field of that number: its bits, or in *inner its bytes. */
static bool field(struct part message, int number, int n, uint64_t *bits, struct part *inner)
{
    while (message.at < message.end) {
        uint64_t key = varint(&message), value = 0;
        struct part bytes = {0};
        int wide = (key & 7) == 1 ? 8 : (key & 7) == 5 ? 4 : 0;
        if (wide) {
            assert_true(message.end - message.at >= wide);
            value = fixed(message.at, wide);
            message.at += wide;
        } else {
            value = varint(&message);
        }
        if ((key & 7) == 2) {
            assert_true(value <= (size_t)(message.end - message.at));
            bytes = (struct part){message.at, message.at + value};
            message.at = bytes.end;
        }
        if (key >> 3 == (uint64_t)number && n-- == 0) {
            if (bits)
                *bits = value;
            if (inner)
                *inner = bytes;
            return true;
        }
    }
    return false;
}

static double real64(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static bool is_text(struct part p, const char *text)
{
    return (size_t)(p.end - p.at) == strlen(text) && memcmp(p.at, text, strlen(text)) == 0;
}

/* The value of a scalar at a step, NaN where there is none; *wall: of its event. */
static double scalar(struct part file, const char *tag, int64_t step, double *wall)
{
    struct part event, summary, value, name;
    uint64_t bits = 0;
    while (next_record(&file, &event)) {
        if (!field(event, 2, 0, &bits, NULL) || (int64_t)bits != step ||
            !field(event, 5, 0, NULL, &summary))
            continue;
        assert_true(field(event, 1, 0, &bits, NULL));
        *wall = real64(bits);
        for (int i = 0; field(summary, 1, i, NULL, &value); i++)
            if (field(value, 1, 0, NULL, &name) && is_text(name, tag) &&
                field(value, 2, 0, &bits, NULL)) {
                uint32_t low = (uint32_t)bits;
                float x;
                memcpy(&x, &low, sizeof x);
                return (double)x;
            }
    }
    return (double)NAN;
}

static int records(struct part file)
{
    struct part event;
    int n = 0;
    while (next_record(&file, &event))
        n++;
    return n;
}

FIXTURE(set_up, tear_down)

/* ---- event files ---- */

TEST(the_sum_is_castagnolis)
{
    /* "check" of CRC-32/ISCSI in the catalogue of Greg Cook. */
    assert_int_equal(crc32c_slowly((const unsigned char *)"123456789", 9), 0xe3069283);
}

TEST(what_is_written_is_read)
{
    struct event_file f = {0};
    struct part event, source, writer, version, summary, value, plugin, content, start, hparam;
    uint64_t bits;
    double wall;
    event_file_begin(&f, 1.5, "somebody");
    event_file_event(&f, 2.5, 0);
    event_file_hparam_number(&f, "model.heads", 4);
    event_file_hparam_text(&f, "model.init", "pytorch");
    event_file_session_start(&f, 2.25);
    event_file_event(&f, 3.5, 0); /* nothing: no record */
    event_file_event(&f, 4.5, 3000000000);
    event_file_scalar(&f, "val/acc", .125);
    event_file_scalar(&f, "val/loss", (double)NAN);
    event_file_scalar(&f, "", -3);
    assert_ok(event_file_end(&f, &x->m));
    struct part file = {f.file.at, f.file.at + f.file.used}, rest = file;
    assert_int_equal(records(file), 3);

    assert_true(next_record(&rest, &event));
    assert_each(field(event, 1, 0, &bits, NULL), real64(bits) == 1.5);
    assert_each(field(event, 3, 0, NULL, &version), is_text(version, "brain.Event:2"));
    assert_each(field(event, 10, 0, NULL, &source), field(source, 1, 0, NULL, &writer));
    assert_true(is_text(writer, "somebody"));

    assert_each(next_record(&rest, &event), field(event, 5, 0, NULL, &summary));
    assert_each(field(summary, 1, 0, NULL, &value), field(value, 9, 0, NULL, &plugin));
    assert_each(field(plugin, 1, 0, NULL, &plugin), field(plugin, 2, 0, NULL, &content));
    assert_each(field(content, 3, 0, NULL, &start), field(start, 5, 0, &bits, NULL));
    assert_true(real64(bits) == 2.25);
    assert_each(field(start, 1, 0, NULL, &hparam), field(hparam, 2, 0, NULL, &value));
    assert_each(field(value, 2, 0, &bits, NULL), real64(bits) == 4);

    assert_each(scalar(file, "val/acc", 3000000000, &wall) == .125, wall == 4.5);
    assert_true(scalar(file, "", 3000000000, &wall) == -3);
    assert_true(isnan(scalar(file, "val/loss", 3000000000, &wall)));
    event_file_clear(&f);
    assert_int_equal(f.file.used, 0);
    event_file_free(&f);
}

/* ---- exports ---- */

static const char EVENTS[] = "events.out.tfevents.headcount";

/* A sweep of two completed trials, heads 1 and 2, and one that runs and has been evaluated once. */
static struct run sweep(struct fixture *x)
{
    struct run r = start(x, SWEEP("[1, 2, 4]", "seeds: [7]\n"));
    struct claimed c[3];
    for (int i = 0; i < 3; i++)
        c[i] = claim(x, r.s, r.sweep, r.build);
    for (int i = 0; i < 2; i++)
        assert_true(finish(x, r.s, &c[i], result_of(.25 * (i + 1))));
    assert_ok(store_curve(r.s, c[2].trial_id, 1, "[{\"step\":50,\"val_loss\":0.5}]", &x->m));
    run_sql(r.db, "UPDATE attempt SET started = '2026-11-21T00:00:10.250Z'");
    return r;
}

static struct part read_run(struct fixture *x, const char *name, char path[600])
{
    void *bytes;
    size_t size;
    snprintf(path, 600, "%s/runs/%s/%s", x->folder, name, EVENTS);
    assert_ok(file_read(path, 1 << 20, &bytes, &size, &x->m));
    return (struct part){bytes, (unsigned char *)bytes + size};
}

static char *runs_folder(struct fixture *x)
{
    static char folder[260];
    snprintf(folder, sizeof folder, "%s/runs", x->folder);
    return folder;
}

static int files_in(const char *folder)
{
    int n = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));)
        n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

TEST(runs_have_the_curves)
{
    struct run r = sweep(x);
    struct export_runs runs;
    char path[600];
    double wall;
    assert_ok(export_tensorboard(r.s, r.sweep, runs_folder(x), &runs, &x->m));
    assert_int_equal(runs.runs, 3);
    assert_int_equal(runs.written, 3);
    struct part file = read_run(x, "heads=002,seed=0007,trial=00002", path);
    const double midnight = 1795219200; /* 2026-11-21 */
    assert_each(scalar(file, "train/loss", 50, &wall) == 2, fabs(wall - midnight - 10.95) < 1e-6);
    assert_each(scalar(file, "val/acc", 50, &wall) == .5,
                scalar(file, "val/loss", 100, &wall) == 1.5);
    assert_true(fabs(wall - midnight - 11.75) < 1e-6);
    assert_true(scalar(file, "optim/lr", 100, &wall) == (double).0005f);
    assert_true(scalar(file, "test/acc", 50, &wall) == .5);
    free((void *)file.at);
    file = read_run(x, "heads=004,seed=0007,trial=00003", path);
    assert_true(scalar(file, "val/loss", 50, &wall) == .5);
    assert_true(isnan(scalar(file, "test/acc", 50, &wall)));
    free((void *)file.at);
    close_store(x, r.s);
}

/* A second attempt that went on from step 50, an hour later: its clock counts from there. */
TEST(attempts_have_their_own_clocks)
{
    struct run r = sweep(x);
    struct export_runs runs;
    char path[600];
    double first, second;
    run_sql(r.db, "INSERT INTO attempt (trial_id, attempt, build_id, started, resumed_from_step)"
                  " SELECT 1, 2, build_id, '2026-11-21T01:00:00.000Z', 50 FROM build");
    assert_ok(export_tensorboard(r.s, r.sweep, runs_folder(x), &runs, &x->m));
    struct part file = read_run(x, "heads=001,seed=0007,trial=00001", path);
    scalar(file, "val/acc", 50, &first);
    scalar(file, "val/acc", 100, &second);
    assert_true(fabs(second - first - (3600 - 10.25 - .7 + .8)) < 1e-6);
    free((void *)file.at);
    close_store(x, r.s);
}

TEST(a_second_export_writes_what_changed)
{
    struct run r = sweep(x);
    struct export_runs runs;
    assert_ok(export_tensorboard(r.s, r.sweep, runs_folder(x), &runs, &x->m));
    assert_ok(export_tensorboard(r.s, r.sweep, runs_folder(x), &runs, &x->m));
    assert_int_equal(runs.runs, 3);
    assert_int_equal(runs.written, 0);
    assert_ok(store_curve(
        r.s, 3, 1, "[{\"step\":50,\"val_loss\":0.5},{\"step\":100,\"val_loss\":0.25}]", &x->m));
    assert_ok(export_tensorboard(r.s, r.sweep, runs_folder(x), &runs, &x->m));
    assert_int_equal(runs.written, 1);
    assert_int_equal(files_in(runs_folder(x)), 3);
    close_store(x, r.s);
}

TEST(foreign_files_stay)
{
    struct run r = sweep(x);
    struct export_runs runs;
    char path[600], foreign[] = "another program's";
    struct iovec part = {foreign, strlen(foreign)};
    snprintf(path, sizeof path, "%s/heads=002,seed=0007,trial=00002/%s", runs_folder(x), EVENTS);
    assert_ok(file_make_folders_above(path, &x->m));
    assert_ok(file_write(path, &part, 1, &x->m));
    assert_status(STATUS_BAD_INPUT, export_tensorboard(r.s, r.sweep, runs_folder(x), &runs, &x->m));
    assert_non_null(strstr(x->m.text, "trial=00002/events"));
    assert_non_null(strstr(x->m.text, "choose another folder"));
    struct part file = read_run(x, "heads=002,seed=0007,trial=00002", path);
    assert_true(is_text(file, foreign));
    free((void *)file.at);

    /* The same names from a sweep that was planned at another time. */
    assert_int_equal(remove(path), 0);
    assert_ok(export_tensorboard(r.s, r.sweep, runs_folder(x), &runs, &x->m));
    run_sql(r.db, "UPDATE sweep SET created = '2020-01-01T00:00:00.000Z'");
    assert_status(STATUS_BAD_INPUT, export_tensorboard(r.s, r.sweep, runs_folder(x), &runs, &x->m));
    close_store(x, r.s);
}

TEST(names_are_plain)
{
    struct run r = sweep(x);
    struct export_runs runs;
    char path[600];
    run_sql(r.db,
            "UPDATE trial SET setting ="
            " json_object('task.file', '../../' || char(27) || 'a b/\"' || char(233) || char(10),"
            "             'model.init', printf('%.300c', 'x')) WHERE trial_id = 1");
    assert_ok(export_tensorboard(r.s, r.sweep, runs_folder(x), &runs, &x->m));
    DIR *d = opendir(runs_folder(x));
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d));)
        if (strstr(e->d_name, "trial=00001"))
            snprintf(path, sizeof path, "%s", e->d_name);
    closedir(d);
    assert_int_equal(strspn(path, "abcdefghijklmnopqrstuvwxyz0123456789=.,_"), strlen(path));
    assert_each(strncmp(path, "heads=001,file=.._.._", 21) == 0, strlen(path) < 256);
    assert_int_equal(files_in(runs_folder(x)), 3);
    close_store(x, r.s);
}

/* What a stop leaves: whole files, and no other. */
TEST(a_stop_is_heard)
{
    struct run r = sweep(x);
    struct export_runs runs;
    char csv[300];
    snprintf(csv, sizeof csv, "%s/csv/curves.csv", x->folder);
    assert_ok(file_make_folders_above(csv, &x->m));
    assert_ok(stop_install(&x->m));
    raise(SIGINT);
    assert_status(STATUS_INTERRUPTED,
                  export_tensorboard(r.s, r.sweep, runs_folder(x), &runs, &x->m));
    assert_int_equal(runs.runs, 1);
    assert_status(STATUS_INTERRUPTED, export_csv(r.s, EXPORT_CSV_CURVES, r.sweep, csv, &x->m));
    assert_status(STATUS_INTERRUPTED, export_csv(r.s, EXPORT_CSV_TRIALS, r.sweep, csv, &x->m));
    stop_restore();
    assert_ok(stop_install(&x->m)); /* forgets the request */
    stop_restore();
    *strrchr(csv, '/') = '\0';
    assert_int_equal(files_in(csv), 0);
    assert_ok(export_tensorboard(r.s, r.sweep, runs_folder(x), &runs, &x->m));
    assert_int_equal(runs.written, 2);
    close_store(x, r.s);
}

TEST(csv_has_every_evaluation)
{
    struct run r = sweep(x);
    char path[300];
    void *bytes;
    size_t size;
    snprintf(path, sizeof path, "%s/curves.csv", x->folder);
    run_sql(r.db, "UPDATE trial SET setting_label = 'a, \"b\"', tuning = '{\"train.lr\":0.01}'"
                  " WHERE trial_id = 2");
    assert_ok(export_csv(r.s, EXPORT_CSV_CURVES, r.sweep, path, &x->m));
    assert_ok(file_read(path, 1 << 20, &bytes, &size, &x->m));
    assert_string_equal(
        bytes, "trial,heads,setting,seed,tuning,is_tuning,state,step,train_loss,train_acc,val_loss,"
               "val_acc,grad_norm,lr,elapsed_s,cpu_s\n"
               "1,1,,7,,0,completed,50,2,0.25,1.25,0.25,1,0.001,0.7,0.6\n"
               "1,1,,7,,0,completed,100,1,0.75,1.5,0.1,0.5,0.0005,1.5,1.25\n"
               "2,2,\"a, \"\"b\"\"\",7,lr=0.01,0,completed,50,2,0.5,1.25,0.5,1,0.001,0.7,0.6\n"
               "2,2,\"a, \"\"b\"\"\",7,lr=0.01,0,completed,100,1,0.75,1.5,0.1,0.5,0.0005,1.5,1.25\n"
               "3,4,,7,,0,running,50,,,0.5,,,,,\n");
    free(bytes);
    /* In the place of the first. */
    assert_ok(export_csv(r.s, EXPORT_CSV_CURVES, r.sweep, path, &x->m));
    assert_status(STATUS_IO,
                  export_csv(r.s, EXPORT_CSV_CURVES, r.sweep, "/nowhere/curves.csv", &x->m));
    close_store(x, r.s);
}

/* Trials that only serve to choose stand before those that are judged; what was eliminated by a
 * choice, or is of a look that was decided before, has no line. */
#define COLUMNS                                                                                    \
    "setting,heads,tuning,replicate,seed,role,state,val_acc,val_loss,test_acc,test_exact,"         \
    "test_loss,best_step,lr,chance,block_loss\n"

TEST(csv_has_every_trial)
{
    struct run r = sweep(x);
    char path[300];
    void *bytes;
    size_t size;
    snprintf(path, sizeof path, "%s/trials.csv", x->folder);
    run_sql(r.db, "UPDATE trial SET tuning = '{\"train.lr\":0.01}', is_tuning = 1,"
                  " replicate = '{\"task.instance\":3}', test_loss = 1.0 / 3 WHERE trial_id = 2;"
                  "INSERT INTO block_loss VALUES (1, 0, 2.5), (1, 1, 0.1)");
    assert_ok(export_csv(r.s, EXPORT_CSV_TRIALS, r.sweep, path, &x->m));
    assert_ok(file_read(path, 1 << 20, &bytes, &size, &x->m));
    assert_string_equal(bytes,
                        COLUMNS ",1,,,7,judged,completed,0.25,1.25,0.25,0,0.25,50,0.001,0.125,"
                                "\"[2.5,0.1]\"\n"
                                ",2,lr=0.01,instance=3,7,tuning,completed,0.5,1.25,0.5,0,"
                                "0.3333333333333333,50,0.001,0.125,\n"
                                ",4,,,7,judged,running,,,,,,,0.001,0.125,\n");
    free(bytes);
    run_sql(r.db, "UPDATE trial SET choice = 'eliminated' WHERE trial_id = 1;"
                  "UPDATE trial SET state = 'not_needed' WHERE trial_id > 1");
    assert_ok(export_csv(r.s, EXPORT_CSV_TRIALS, r.sweep, path, &x->m));
    assert_ok(file_read(path, 1 << 20, &bytes, &size, &x->m));
    assert_string_equal(bytes, COLUMNS ",2,lr=0.01,instance=3,7,tuning,not_needed,0.5,1.25,0.5,0,"
                                       "0.3333333333333333,50,0.001,0.125,\n");
    free(bytes);
    close_store(x, r.s);
}
