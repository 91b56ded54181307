#include "sweep/report/document.h"

#include <string.h>

enum { SENTENCE_WIDTH = 90 };

struct document document_new(struct scope *x, FILE *out, bool markdown, struct text_page page)
{
    int columns = page.columns < 1 || page.columns > DOCUMENT_WIDTH ? DOCUMENT_WIDTH
                  : page.columns < DOCUMENT_MIN                     ? DOCUMENT_MIN
                                                                    : page.columns;
    return (struct document){.scope = x,
                             .out = out,
                             .left_out = scope_text(x),
                             .shown = scope_text(x),
                             .markdown = markdown,
                             .color = page.color && !markdown,
                             .page = columns,
                             .line = columns < SENTENCE_WIDTH ? columns : SENTENCE_WIDTH};
}

/* An empty line between blocks, but for those that belong together. */
static void begin(struct document *d, enum document_block block)
{
    bool together = d->last == DOCUMENT_NOTHING ||
                    (block == DOCUMENT_ITEM && d->last == DOCUMENT_ITEM) ||
                    (!d->markdown && (d->last == DOCUMENT_TITLE || d->last == DOCUMENT_HEADING));
    if (!together)
        fputc('\n', d->out);
    d->last = block;
}

/* Text without the marks that Markdown would act on. */
static void put_markdown(FILE *out, const char *text)
{
    for (;;) {
        size_t run = strcspn(text, "\\`*_[]<|");
        text_plain_part(out, text, run);
        text += run;
        if (!*text)
            return;
        fprintf(out, "\\%c", *text++);
    }
}

static void put_text(struct document *d, const char *text, bool bold, int rest, int width)
{
    fputs(bold && d->color ? "\033[1m" : "", d->out);
    text_paragraph(d->out, text, 0, rest, width);
    fputs(bold && d->color ? "\033[0m" : "", d->out);
}

void document_title(struct document *d, const char *name, const char *more)
{
    begin(d, DOCUMENT_TITLE);
    if (d->markdown) {
        fputs("# ", d->out);
        put_markdown(d->out, name);
        fputs(more[0] ? "\n\n" : "", d->out);
        put_markdown(d->out, more);
        fputc('\n', d->out);
    } else {
        struct text_buffer title = scope_text(d->scope);
        text_add(&title, "%s%s%s", name, more[0] ? ": " : "", more);
        put_text(d, title.text, true, 0, d->page);
    }
}

void document_put(struct document *d, enum document_block block, const char *text)
{
    static const struct {
        const char *before, *after; /* in Markdown */
        bool bold, wide;            /* in text */
        int rest;                   /* columns that lines behind the first are moved in */
    } style[] = {[DOCUMENT_HEADING] = {"## ", "", true, true, 2},
                 [DOCUMENT_PARAGRAPH] = {"", "", false, false, 0},
                 [DOCUMENT_FINDING] = {"**", "**", true, false, 2},
                 [DOCUMENT_ITEM] = {"- ", "", false, false, 2}};
    if (block == DOCUMENT_EXPLANATION && !d->explain) {
        d->hidden++;
        return;
    }
    block = block == DOCUMENT_EXPLANATION ? DOCUMENT_ITEM : block;
    begin(d, block);
    if (d->markdown) {
        fputs(style[block].before, d->out);
        put_markdown(d->out, text);
        fprintf(d->out, "%s\n", style[block].after);
    } else {
        put_text(d, text, style[block].bold, style[block].rest,
                 style[block].wide ? d->page : d->line);
    }
}

void document_text(struct document *d, enum document_block block, struct text_buffer *text)
{
    if (text->used)
        document_put(d, block, text->text);
    text->used = 0;
}

void document_table(struct document *d, struct table *t)
{
    begin(d, DOCUMENT_TABLE);
    if (!d->markdown)
        table_fit(t, d->page, &d->left_out, &d->shown);
    table_write(t, d->markdown ? TABLE_MARKDOWN : TABLE_TEXT, d->color, d->out);
}

void document_leave_out(struct document *d, const char *title)
{
    table_name_column(&d->left_out, title);
}

void document_legend(struct document *d, const char *text)
{
    struct text_buffer whole = scope_text(d->scope);
    text_add(&whole, "%s", text);
    if (d->left_out.used)
        text_add(&whole, " Left out%s for lack of room: %s; --markdown has all%s.",
                 table_share_names(&d->left_out, &d->shown) ? " of some tables" : "",
                 d->left_out.text, d->plot_left_out ? " columns" : "");
    document_put(d, DOCUMENT_PARAGRAPH, whole.text);
}
