/* The page as one document: page.html with its parts filled in. */
#include "sweep/page/page_parts.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/sha256.h"
#include "sweep/db/rows.h"
#include "sweep/page/page_write.h"
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
    HEADS_MAX = 4000,
    DETAILS_MAX = 1000 /* trials whose configuration and attempts are here */
};

/* Of one sweep or of several; the live page has neither, and no data in it. */
struct page {
    struct scope *scope;
    const struct page_options *options;
    const struct report_data *report;
    const struct report_compare *compared;
};

static bool is_live(const struct page *p)
{
    return !p->report && !p->compared;
}

/* ---- data ---- */

static void put_curves(const struct page *p, struct json_writer *w)
{
    struct scope *x = p->scope;
    long points = 0;
    struct rows *r =
        scope_rows(x,
                   "SELECT trial_id, count(*) OVER () FROM trial AS t WHERE sweep_id = ?1"
                   "   AND EXISTS (SELECT 1 FROM curve AS c WHERE c.trial_id = t.trial_id)"
                   " ORDER BY in_plan DESC, is_tuning, confirms, trial_id LIMIT ?2",
                   VALUES(INTEGER(p->report->sweep_id), INTEGER(CURVES_MAX)));
    json_begin_list(w, "curves");
    while (scope_next(x, r)) {
        if (!points) {
            points = CURVE_POINTS / (long)rows_integer(r, 1);
            points = points > CURVE_MIN ? points : CURVE_MIN;
        }
        json_add_key(w, NULL);
        page_curve(x, rows_integer(r, 0), points, w->out);
    }
    json_end_list(w);
}

/* Those that ran, as far as there is room, judged ones first. */
static void put_details(const struct page *p, struct json_writer *w)
{
    struct scope *x = p->scope;
    struct rows *r = scope_rows(x,
                                "SELECT trial_id FROM trial WHERE sweep_id = ?1 AND attempt > 0"
                                " ORDER BY in_plan DESC, is_tuning, trial_id LIMIT ?2",
                                VALUES(INTEGER(p->report->sweep_id), INTEGER(DETAILS_MAX)));
    json_begin_list(w, "details");
    while (scope_next(x, r)) {
        json_add_key(w, NULL);
        page_trial(x, rows_integer(r, 0), w->out);
    }
    json_end_list(w);
}

static void put_attention(const struct page *p, FILE *out)
{
    struct scope *x = p->scope;
    int64_t named = p->options->trial_id;
    scope_check(x, named ? page_attention(x->store, named, out, x->message)
                         : page_attention_or_missing(x->store, page_best_trial(p->report), out,
                                                     x->message));
}

static void put_sweep(const struct page *p, struct json_writer *w)
{
    json_add_key(w, "summary");
    page_put_summary(p->report, w->out);
    json_add_key(w, "trials");
    page_trials(p->scope, p->report->sweep_id, 0, TRIALS_MAX, w->out);
    put_curves(p, w);
    put_details(p, w);
    json_add_key(w, "heads");
    page_heads(p->scope, p->report->sweep_id, 0, HEADS_MAX, w->out);
    json_add_key(w, "attention");
    put_attention(p, w->out);
}

static void put_pieces(const struct page *p, FILE *out)
{
    struct json_writer w = {.out = out};
    json_begin_object(&w, NULL);
    json_add_text(&w, "file", file_last_name(p->options->file));
    if (p->compared) {
        json_add_key(&w, "compared");
        page_put_comparison(p->compared, out);
    } else {
        put_sweep(p, &w);
    }
    json_end_object(&w);
}

/* In an element of its own, of which the script reads it. */
static void put_data(const struct page *p, FILE *out)
{
    if (is_live(p))
        return;
    FILE *escaped = page_stream(p->scope, out, PAGE_JSON);
    fputs("<script type=\"application/json\" id=\"data\">", out);
    put_pieces(p, escaped);
    fflush(escaped);
    fputs("</script>\n", out);
}

/* ---- parts ---- */

/* For a browser without scripts. */
static void put_words(const struct page *p, FILE *out)
{
    fputs("<p>This page draws its charts with a script, which this browser does not run. ", out);
    if (is_live(p)) {
        fputs("<code>headcount report</code> has the findings as text.</p>", out);
        return;
    }
    fputs("The findings as text:</p><pre>", out);
    FILE *escaped = page_stream(p->scope, out, PAGE_TEXT);
    if (p->compared)
        page_put_comparison_words(p->compared, escaped);
    else
        page_put_report(p->report, REPORT_TEXT, escaped);
    fflush(escaped);
    fputs("</pre>", out);
}

static void put_title(const struct page *p, FILE *out)
{
    if (is_live(p)) {
        fputs("Sweeps", out);
        return;
    }
    FILE *escaped = page_stream(p->scope, out, PAGE_TEXT);
    for (int i = 0; p->compared && i < p->compared->sweeps; i++) {
        fputs(i ? ", " : "", escaped);
        text_plain(escaped, p->compared->sweep[i]->name);
    }
    if (p->report)
        text_plain(escaped, p->report->name);
    fflush(escaped);
}

static void put_style(const struct page *p, FILE *out)
{
    (void)p;
    fputs(style_css, out);
}

static const char *script_of(const struct page *p)
{
    return is_live(p) ? live_script : file_script;
}

static void put_script(const struct page *p, FILE *out)
{
    fputs(script_of(p), out);
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
static void put_policy(const struct page *p, FILE *out)
{
    fputs("default-src 'none'; img-src data:; base-uri 'none'; form-action 'none'; script-src ",
          out);
    put_hash(script_of(p), out);
    fputs("; style-src ", out);
    put_hash(style_css, out);
    fputs(is_live(p) ? "; connect-src 'self'" : "", out);
}

static const struct part {
    const char *name; /* {{name}} in page.html */
    void (*put)(const struct page *p, FILE *out);
} parts[] = {
    {"policy", put_policy}, {"title", put_title}, {"style", put_style},
    {"words", put_words},   {"data", put_data},   {"script", put_script},
};

static void put_part(const struct page *p, const char *name, size_t size, FILE *out)
{
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strlen(parts[i].name) == size && memcmp(parts[i].name, name, size) == 0)
            parts[i].put(p, out);
}

static void put_page(const struct page *p, FILE *out)
{
    const char *at = template_html;
    for (const char *open; (open = strstr(at, "{{"));) {
        const char *close = strstr(open, "}}");
        fwrite(at, 1, (size_t)(open - at), out);
        put_part(p, open + 2, (size_t)(close - open) - 2, out);
        at = close + 2;
    }
    fputs(at, out);
}

/* By page.html: its first line, and the end of its title. */
bool page_begins(const char *head)
{
    size_t line = strcspn(template_html, "\n");
    const char *from = strstr(template_html, "{{title}}") + strlen("{{title}}");
    char title[64];
    snprintf(title, sizeof title, "%.*s", (int)strcspn(from, "\n"), from);
    return strncmp(head, template_html, line) == 0 && strstr(head, title);
}

enum status page_write(struct store *s, int64_t sweep_id, const struct page_options *o, FILE *out,
                       struct message *m)
{
    struct scope *x = scope_new(s, "a page", m);
    if (scope_enter(x)) {
        scope_read_begin(x);
        put_page(&(struct page){x, o, .report = report_data_read(x, sweep_id, true)}, out);
        scope_read_end(x);
        scope_check(x, text_check(out, m));
    }
    return scope_end(x);
}

enum status page_write_comparison(struct store *s, const int64_t *sweep_id, int sweeps,
                                  const struct page_options *o, FILE *out, struct message *m)
{
    struct scope *x = scope_new(s, "a page", m);
    if (scope_enter(x)) {
        scope_read_begin(x);
        const struct report_compare *c = report_compare_new(x, sweep_id, sweeps, true);
        put_page(&(struct page){x, o, .compared = c}, out);
        scope_read_end(x);
        scope_check(x, text_check(out, m));
    }
    return scope_end(x);
}

enum status page_write_live(FILE *out, struct message *m)
{
    put_page(&(struct page){0}, out);
    return text_check(out, m);
}

void page_live_policy(FILE *out)
{
    put_policy(&(struct page){0}, out);
}
