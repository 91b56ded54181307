/* A text for people from blocks, as plain text laid out for a page or as Markdown: what a report
 * says does not depend on which.
 *
 *     struct document d = document_new(x, stdout, false, text_page(stdout));
 *     document_title(&d, name, question);
 *     document_put(&d, DOCUMENT_HEADING, label);
 *     document_table(&d, t);
 *     document_put(&d, DOCUMENT_FINDING, sentence), document_put(&d, DOCUMENT_ITEM, sentence);
 *     document_legend(&d, legend);
 *
 * All texts are foreign: written plain, and without the marks that Markdown would act on. */
#ifndef SWEEP_REPORT_DOCUMENT_H
#define SWEEP_REPORT_DOCUMENT_H

#include "sweep/report/table.h"

/* Text never needs a wider terminal than DOCUMENT_WIDTH. */
enum { DOCUMENT_WIDTH = 100, DOCUMENT_MIN = 40 };

enum document_block {
    DOCUMENT_NOTHING,
    DOCUMENT_TITLE,
    DOCUMENT_HEADING,
    DOCUMENT_PARAGRAPH,
    DOCUMENT_TABLE,
    DOCUMENT_FINDING,
    DOCUMENT_ITEM,
    DOCUMENT_EXPLANATION /* an item that only explains; see `explain` */
};

struct document {
    struct scope *scope;
    FILE *out;
    bool markdown, color;
    bool explain;                /* what explains is written too */
    int hidden;                  /* lines that were not, for want of it */
    int page;                    /* columns of text that a table may take */
    int line;                    /* that a sentence may take: fewer, to be read */
    enum document_block last;    /* what was written last */
    struct text_buffer left_out; /* titles of the columns that found no room, for the legend */
    struct text_buffer shown;    /* and of those that did */
    bool plot_left_out;          /* one of the former is a plot, which Markdown lacks too */
};

/* page.columns 0: as wide as wanted; color is for text only. */
struct document document_new(struct scope *x, FILE *out, bool markdown, struct text_page page);

/* more: what the name asks; "" without. */
void document_title(struct document *d, const char *name, const char *more);
/* A heading, a paragraph, a finding (the sentence that matters), or an item: of the sentences that
 * belong to a finding one each, or one that only explains. */
void document_put(struct document *d, enum document_block block, const char *text);

/* document_put of a text that was put together, which is emptied; nothing where there is none. */
void document_text(struct document *d, enum document_block block, struct text_buffer *text);

/* Writes t, in text without the columns that find no room; leaves as table_write does. */
void document_table(struct document *d, struct table *t);

/* Names a column that was left out before. */
void document_leave_out(struct document *d, const char *title);

/* A paragraph that explains the columns, and names those that found no room. */
void document_legend(struct document *d, const char *text);

#endif
