/* The page as one document: page.html with its parts filled in. */
#include "sweep/page/page_parts.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/sha256.h"
#include "sweep/db/rows.h"
#include "sweep/page/base64.h"
#include "sweep/page/page_paths.h"
#include "sweep/page/page_stream.h"
#include "sweep/report/report.h"

static const char template_html[] =
#include "page_html.h"
    ;
static const char style_css[] =
#include "page_css.h"
    ;
static const char file_script[] =
#include "page_js.h"
    ;
static const char live_script[] =
#include "page_live_js.h"
    ;

/* So that 300 trials stay under 1.5 MB. */
enum {
    TRIALS_MAX = 100000,
    CURVES_MAX = 1000,
    CURVE_POINTS = 20000, /* of all curves together */
    CURVE_MIN = 12,       /* of each, however many there are */
    HEADS_MAX = 4000
};

/* Without a store: the live page, which has no data in it. */
struct page {
    struct store *store;
    int64_t sweep_id;
    const struct page_options *options;
    const struct report_data *report;
};

/* ---- data ---- */

static enum status put_curves(const struct page *p, struct json_writer *w, struct message *m)
{
    long points = 0;
    struct rows r =
        rows_open(p->store, m,
                  "SELECT trial_id, count(*) OVER () FROM trial AS t WHERE sweep_id = ?1 AND EXISTS"
                  "   (SELECT 1 FROM curve AS c WHERE c.trial_id = t.trial_id)"
                  " ORDER BY in_plan DESC, is_tuning, trial_id LIMIT ?2",
                  VALUES(INTEGER(p->sweep_id), INTEGER(CURVES_MAX)));
    json_begin_list(w, "curves");
    while (rows_next(&r)) {
        if (!points) {
            points = CURVE_POINTS / (long)rows_integer(&r, 1);
            points = points > CURVE_MIN ? points : CURVE_MIN;
        }
        json_add_key(w, NULL);
        r.status = page_curve(p->store, rows_integer(&r, 0), points, w->out, m);
    }
    json_end_list(w);
    return rows_close(&r);
}

static enum status put_attention(const struct page *p, FILE *out, struct message *m)
{
    int64_t trial_id = p->options->trial_id;
    if (trial_id)
        return page_attention(p->store, trial_id, out, m);
    enum status status = page_best_trial(p->store, p->sweep_id, p->report, &trial_id, m);
    return status == STATUS_OK ? page_attention_or_missing(p->store, trial_id, out, m) : status;
}

static enum status put_pieces(const struct page *p, FILE *out, struct message *m)
{
    struct json_writer w = {.out = out};
    json_begin_object(&w, NULL);
    json_add_text(&w, "file", file_last_name(p->options->file));
    json_add_key(&w, "summary");
    enum status status = page_put_summary(p->store, p->sweep_id, p->report, out, m);
    if (status == STATUS_OK) {
        json_add_key(&w, "trials");
        status = page_trials(p->store, p->sweep_id, 0, TRIALS_MAX, out, m);
    }
    if (status == STATUS_OK)
        status = put_curves(p, &w, m);
    if (status == STATUS_OK) {
        json_add_key(&w, "heads");
        status = page_heads(p->store, p->sweep_id, 0, HEADS_MAX, out, m);
    }
    if (status == STATUS_OK) {
        json_add_key(&w, "attention");
        status = put_attention(p, out, m);
    }
    json_end_object(&w);
    return status;
}

/* In an element of its own, of which the script reads it. */
static enum status put_data(const struct page *p, FILE *out, struct message *m)
{
    if (!p->store)
        return STATUS_OK;
    FILE *escaped = page_stream(out, PAGE_JSON);
    if (!escaped)
        return status_no_memory(m, "a page");
    fputs("<script type=\"application/json\" id=\"data\">", out);
    enum status status = put_pieces(p, escaped, m);
    fclose(escaped);
    fputs("</script>\n", out);
    return status;
}

/* ---- parts ---- */

/* The findings as text. */
static enum status put_findings(const struct page *p, FILE *out, struct message *m)
{
    struct text_buffer text = {0};
    FILE *report = text_stream(&text), *escaped = page_stream(out, PAGE_TEXT);
    enum status status = status_no_memory(m, "a page");
    if (report && escaped)
        status = report_write_data(p->report, REPORT_TEXT, (struct text_page){.columns = 100},
                                   report, m);
    if (report)
        fclose(report);
    if (status == STATUS_OK)
        page_names_only(text.text, store_folder(p->store), escaped);
    if (escaped)
        fclose(escaped);
    free(text.text);
    return status;
}

/* For a browser without scripts. */
static enum status put_words(const struct page *p, FILE *out, struct message *m)
{
    fputs("<p>This page draws its charts with a script, which this browser does not run. ", out);
    if (!p->store) {
        fputs("<code>headcount report</code> has the findings as text.</p>", out);
        return STATUS_OK;
    }
    fputs("The findings as text:</p><pre>", out);
    enum status status = put_findings(p, out, m);
    fputs("</pre>", out);
    return status;
}

static enum status put_title(const struct page *p, FILE *out, struct message *m)
{
    if (!p->store) {
        fputs("Sweeps", out);
        return STATUS_OK;
    }
    FILE *escaped = page_stream(out, PAGE_TEXT);
    if (!escaped)
        return status_no_memory(m, "a page");
    text_plain(escaped, p->report->name);
    fclose(escaped);
    return STATUS_OK;
}

static enum status put_style(const struct page *p, FILE *out, struct message *m)
{
    (void)p, (void)m;
    fputs(style_css, out);
    return STATUS_OK;
}

static const char *script_of(const struct page *p)
{
    return p->store ? file_script : live_script;
}

static enum status put_script(const struct page *p, FILE *out, struct message *m)
{
    (void)m;
    fputs(script_of(p), out);
    return STATUS_OK;
}

static void put_hash(const char *text, FILE *out)
{
    char hex[65];
    uint8_t bytes[32];
    sha256_hex(text, strlen(text), hex);
    for (size_t i = 0; i < sizeof bytes; i++) {
        const char digits[] = {hex[2 * i], hex[2 * i + 1], '\0'};
        bytes[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
    fputs("'sha256-", out);
    base64_write(bytes, sizeof bytes, out);
    fputc('\'', out);
}

/* Only this script and this style count; nothing is loaded from anywhere and nothing is sent, but
 * by the live page to the server that it is from. */
static enum status put_policy(const struct page *p, FILE *out, struct message *m)
{
    (void)m;
    fputs("default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; script-src ",
          out);
    put_hash(script_of(p), out);
    fputs("; style-src ", out);
    put_hash(style_css, out);
    fputs(p->store ? "" : "; connect-src 'self'", out);
    return STATUS_OK;
}

static const struct part {
    const char *name; /* {{name}} in page.html */
    enum status (*put)(const struct page *p, FILE *out, struct message *m);
} parts[] = {
    {"policy", put_policy}, {"title", put_title}, {"style", put_style},
    {"words", put_words},   {"data", put_data},   {"script", put_script},
};

static enum status put_part(const struct page *p, const char *name, size_t size, FILE *out,
                            struct message *m)
{
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strlen(parts[i].name) == size && memcmp(parts[i].name, name, size) == 0)
            return parts[i].put(p, out, m);
    return status_fail(m, STATUS_INTERNAL, "page.html has an unknown part");
}

static enum status put_page(const struct page *p, FILE *out, struct message *m)
{
    const char *at = template_html;
    enum status status = STATUS_OK;
    for (const char *open; status == STATUS_OK && (open = strstr(at, "{{"));) {
        const char *close = strstr(open, "}}");
        fwrite(at, 1, (size_t)(open - at), out);
        status = put_part(p, open + 2, (size_t)(close - open) - 2, out, m);
        at = close + 2;
    }
    fputs(at, out);
    return status == STATUS_OK ? text_check(out, m) : status;
}

enum status page_write(struct store *s, int64_t sweep_id, const struct page_options *o, FILE *out,
                       struct message *m)
{
    struct report_data *report;
    enum status status = page_open_report(s, sweep_id, &report, m);
    if (status != STATUS_OK)
        return status;
    status = put_page(&(struct page){s, sweep_id, o, report}, out, m);
    page_close_report(s, report);
    return status;
}

enum status page_write_live(FILE *out, struct message *m)
{
    return put_page(&(struct page){0}, out, m);
}

void page_live_policy(FILE *out)
{
    put_policy(&(struct page){0}, out, NULL);
}
