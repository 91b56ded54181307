/* The pieces of the page, from rows in a results file, and how they are escaped. */
#include "engine/base/json.h"
#include "packed_help.h"
#include "report_help.h"
#include "scope_help.h"
#include "seven_trials.h"
#include "sweep/db/rows.h"
#include "sweep/page/page.h"
#include "sweep/page/page_write.h"

/* Another sweep ran later and has no trials; heads were measured. */
static const char MORE[] =
    "INSERT INTO sweep (name, question, yaml, yaml_sha256, plan_sha256, metric, goal, tune, "
    "created, last_run) SELECT 'later', 'Is it?', yaml, yaml_sha256, plan_sha256, metric, goal,"
    "  tune, created, '2026-01-03T00:00:00.000Z' FROM sweep;"
    "INSERT INTO build VALUES (1, 'v', 'g', 'c', 'f', 'o', 't', 'k', 'p');"
    "INSERT INTO study SELECT trial_id, 'heads', '{\"on\":\"val\"}', '', 1, 1, checkpoint_sha256"
    "                    FROM trial;"
    "INSERT INTO head_metric (trial_id, step, split, layer, head, importance_norm, ablation_loss)"
    "  SELECT trial_id, 130, 'val', 0, h.value, 1.0 / 3, val_loss + .25"
    "    FROM trial JOIN config USING (config_id), json_each(iif(heads = 1, '[0]', '[0,1]')) AS h;";

static int fill(void **state)
{
    if (set_up(state) != 0)
        return -1;
    sql(*state, "%s%s", SEVEN_TRIALS, MORE);
    return 0;
}

/* What a piece wrote, which must be one JSON value; the caller frees it. */
static char *ended(struct fixture *f, FILE *out, struct text_buffer *b, enum status status)
{
    fclose(out);
    if (status != STATUS_OK)
        fail_msg("%s", f->message.text);
    char *strings = malloc(b->used + 1);
    struct json j = {.start = (const unsigned char *)b->text,
                     .place = "piece",
                     .text = strings,
                     .m = &f->message};
    j.next = j.start;
    j.end = j.start + b->used;
    if (!json_skip(&j) || !json_end(&j))
        fail_msg("%s in %s", f->message.text, b->text);
    free(strings);
    return b->text;
}
#define PIECE(f, call)                                                                             \
    __extension__({                                                                                \
        struct text_buffer piece_text = {0};                                                       \
        FILE *out = text_stream(&piece_text);                                                      \
        enum status piece_status = IN_SCOPE(in, (f)->store, &(f)->message, call);                  \
        ended((f), out, &piece_text, piece_status);                                                \
    })

static int occurrences(const char *text, const char *of)
{
    int n = 0;
    for (; (text = strstr(text, of)); text += strlen(of))
        n++;
    return n;
}

FIXTURE(fill, tear_down)

TEST(pieces_hold_what_the_file_has)
{
    sql(f, "INSERT INTO attempt (trial_id, attempt, build_id, host, started, outcome,"
           "                     resumed_from_step, cause, error)"
           "  VALUES (3, 1, 1, 'a', '2026-01-01T00:00:00.000Z', 'requeued', 0, 'lost', NULL),"
           "         (3, 2, 1, 'b', '2026-01-02T00:00:00.000Z', 'failed', 20, NULL,"
           "          'cannot open /home/me/x: no')");
    assert_json_file("page-index.json", PIECE(f, page_index(in, out)));
    char *summary = PIECE(f, page_summary(in, 1, out));
    *strstr(summary, ",\"written\"") = '\0';
    assert_json_file("page-summary.json", strdup(strstr(summary, ",\"states\"")));
    free(summary);
    assert_json_file("page-trial.json", PIECE(f, page_trial(in, 3, out)));
    assert_json_file("page-heads.json", PIECE(f, page_heads(in, 1, 0, 100, out)));
    assert_json_file("page-heads-of-one.json", PIECE(f, page_heads(in, 1, 4, 100, out)));
    assert_json_file("page-curve.json", PIECE(f, page_curve(in, 1, 13, out)));
    assert_json_file("page-no-curve.json", PIECE(f, page_curve(in, 2, 12, out)));
}

static void put_packed(struct scope *x, const char *sql, FILE *out)
{
    struct json_writer w = {.out = out};
    json_begin_object(&w, NULL);
    page_packed_rows(x, scope_rows(x, sql, NO_VALUES), &w, "trials");
    json_end_object(&w);
}

/* Pages follow each other without a gap, and the last one says that it is. */
TEST(test_trials)
{
    int seen = 0;
    int64_t after = 0;
    for (int page = 0; page < 3; page++) {
        char *text = PIECE(f, page_trials(in, 1, after, 3, out));
        assert_non_null(strstr(text, "{\"total\":7,"));
        const char *next = strstr(text, "\"next\":");
        char *trials = unpacked(text);
        seen += occurrences(trials, "\"completed\"");
        free(trials);
        after = strtoll(next + strlen("\"next\":"), NULL, 10);
        assert_int_equal(after, page == 0 ? 3 : page == 1 ? 6 : 0);
        free(text);
    }
    assert_int_equal(seen, 7);
    char *exact = PIECE(f, page_trials(in, 1, 0, 7, out));
    assert_non_null(strstr(exact, "\"next\":null"));
    free(exact);
    char *none = PIECE(f, page_trials(in, 2, 0, 3, out));
    assert_non_null(strstr(none, "{\"total\":0,\"next\":null,"));
    free(none);
}

static void assert_packed(struct fixture *f, int rows)
{
    char sql[200];
    snprintf(sql, sizeof sql,
             "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i / 4.0,"
             " iif(i = 3, NULL, 'a \"word\" ' || i) AS word FROM n LIMIT %d",
             rows);
    char *plain = PIECE(f, page_rows(in, scope_rows(in, sql, NO_VALUES), PAGE_ALL_DIGITS, out));
    char *packed = PIECE(f, put_packed(in, sql, out));
    char *text = unpacked(packed);
    assert_string_equal(text, plain);
    free(plain);
    free(packed);
    free(text);
}

/* Rows and back: what zlib has packed is what page_rows writes, at any size. */
TEST(test_packed_rows)
{
    assert_packed(f, 0);
    assert_packed(f, 3);
    assert_packed(f, 6000);
}

/* Of a trial all of its heads or none. */
TEST(test_heads)
{
    char *few = PIECE(f, page_heads(in, 1, 0, 5, out));
    assert_int_equal(occurrences(few, "0.3333"), 4); /* trials 1, 2 and 3; 4 has two heads */
    free(few);
}

/* Weights that are not there: the page tells, the piece fails. */
TEST(test_attention)
{
    struct text_buffer b = {0};
    FILE *out = text_stream(&b);
    assert_int_not_equal(page_attention(f->store, 1, out, &f->message), STATUS_OK);
    fclose(out);
    assert_null(b.text);
    const struct page_options options = {.file = "/somewhere/else/p.db"};
    char *page;
    out = text_stream(&b);
    assert_int_equal(page_write(f->store, 1, &options, out, &f->message), STATUS_OK);
    fclose(out);
    page = b.text;
    assert_non_null(strstr(page, "\"attention\":{\"missing\":1}"));
    assert_non_null(strstr(page, "{\"file\":\"p.db\""));
    assert_null(strstr(page, "/somewhere"));
    assert_null(strstr(page, f->folder));
    assert_non_null(strstr(page, "Is \\u003cb\\u003e \\u0026 '?"));
    free(page);
}

/* No data, the script of the live page, and leave to ask the server that it is from: in the page as
 * in the header. */
TEST(test_live)
{
    struct text_buffer live = {0}, policy = {0}, file = {0};
    FILE *out = text_stream(&live);
    assert_int_equal(page_write_live(out, &f->message), STATUS_OK);
    fclose(out);
    out = text_stream(&policy);
    page_live_policy(out);
    fclose(out);
    out = text_stream(&file);
    const struct page_options options = {.file = "p.db"};
    assert_int_equal(page_write(f->store, 1, &options, out, &f->message), STATUS_OK);
    fclose(out);
    assert_non_null(strstr(policy.text, "default-src 'none'; "));
    assert_non_null(strstr(policy.text, "; connect-src 'self'"));
    assert_non_null(strstr(live.text, policy.text));
    assert_null(strstr(file.text, policy.text));
    assert_null(strstr(file.text, "connect-src"));
    assert_null(strstr(live.text, "id=\"data\""));
    assert_non_null(strstr(live.text, "EventSource"));
    assert_null(strstr(file.text, "EventSource"));
    assert_null(strstr(live.text, "{{"));
    free(live.text), free(policy.text), free(file.text);
}

FIXTURE(NULL, NULL)

TEST(test_paths)
{
    static const char *const cases[][2] = {
        {"cannot open /home/me/x.csv: no", "cannot open x.csv: no"},
        {"/a/b", "b"},
        {"\"task.file=/a/b c.csv\"", "\"task.file=b c.csv\""},
        {"line\n/usr/lib/x.so\033", "line\nx.so\033"},
        {"(0.05 / 5), bits/byte, /tmp, /", "(0.05 / 5), bits/byte, /tmp, /"},
        {"see https://x.org/a/b, data/x.csv", "see https://x.org/a/b, data/x.csv"},
        {"/a/b/ and '/c/d'", "b/ and 'd'"},
        {"cannot open /home/me/my own data/x.csv: no", "cannot open x.csv: no"},
        {"- /home/me/x.csv\n- of 3/4", "- x.csv\n- of 3/4"},
        {"/a/my data/x y.csv", "x y.csv"},
        {"from /a/b to /c/d", "from b to d"},
        {"/known, (odd): place/p q.db.d/t1.result: no", "t1.result: no"},
        {"/known, (odd): place/p.db: no", "p.db: no"},
        {"\"/known, (odd): place/p q.db\"", "\"p q.db\""},
        {"/known, (odd): placebo", "/known, (odd): placebo"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct text_buffer b = {0};
        page_names_only(cases[i][0], "/known, (odd): place/p q.db.d", &b);
        assert_string_equal(b.text, cases[i][1]);
        free(b.text);
    }
}

static enum status escape(const char *text, enum page_place place, FILE *out)
{
    return IN_SCOPE(x, NULL, NULL, fputs(text, page_stream(x, out, place)));
}

TEST(test_escapes)
{
    const char *const raw = "<a href=\"x\">&'</a>";
    const char *const wanted[] = {
        [PAGE_TEXT] = "&lt;a href=&quot;x&quot;&gt;&amp;&#39;&lt;/a&gt;",
        [PAGE_JSON] = "\\u003ca href=\"x\"\\u003e\\u0026'\\u003c/a\\u003e",
    };
    for (int place = PAGE_TEXT; place <= PAGE_JSON; place++) {
        struct text_buffer b = {0};
        FILE *out = text_stream(&b);
        assert_int_equal(escape(raw, (enum page_place)place, out), STATUS_OK);
        fclose(out);
        assert_string_equal(b.text, wanted[place]);
        free(b.text);
    }
}

/* RFC 4648, section 10. */
TEST(test_base64)
{
    const char *const vector[][2] = {{"f", "Zg=="},         {"fo", "Zm8="},
                                     {"foo", "Zm9v"},       {"foob", "Zm9vYg=="},
                                     {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < sizeof vector / sizeof *vector; i++) {
        struct text_buffer b = {0};
        FILE *out = text_stream(&b);
        base64_write((const uint8_t *)vector[i][0], strlen(vector[i][0]), out);
        fclose(out);
        assert_string_equal(b.text, vector[i][1]);
        free(b.text);
    }
}
