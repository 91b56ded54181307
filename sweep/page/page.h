/* What a sweep came to, as a page for a browser.
 *
 * The page is a program (page.html, page.css and *.js of this folder, all in the binary) and data,
 * which it asks a `source` for in pieces. In a file (page_write) all pieces lie in the page itself:
 * it asks for nothing, from nowhere. The live page (page_write_live) has none in it: it asks the
 * server that it is from, piece by piece, and again when that says that there is news. source.js
 * says what is asked and when, live_source.js at which addresses.
 *
 * Each piece is one JSON object on one line, and is read from one state of the results file. Rows
 * of a table are {"columns":["trial_id",...],"rows":[[1,...],...]}; values that are themselves JSON
 * (setting, tuning, replicate) are strings with their canonical text, the same in all pieces. NULL
 * is null. Numbers have all digits but where it is said otherwise. Absolute paths are cut to their
 * last names (page_paths.h). Control characters are escaped, '<' is not: where a piece is put into
 * HTML, page_stream.h escapes it.
 *
 * Errors of `out` stay in it, to be asked for once. */
#ifndef SWEEP_PAGE_PAGE_H
#define SWEEP_PAGE_PAGE_H

#include "sweep/db/scope.h"
#include "sweep/trials/trials.h"

/* {"sweeps":rows of the view progress}: name, question, metric, how many trials are in which state,
 * last_run and sweep_id; the one that ran last comes first. */
void page_index(struct scope *x, FILE *out);

/* Everything about a sweep but its trials one by one:
 *
 *   report     what `report --json` gives
 *   states     {"queued":0,...}: trials of the plan
 *   sweep      its row: yaml, yaml_sha256, plan_sha256, metric, created, last_run, ...; sweep_id
 *   tasks      [{"name", "summary"}]: what each task of it asks of a model
 *   heads      what `heads --json` gives; null: nothing was measured
 *   pruning    what `prune --json` gives; null: nothing was pruned
 *   cost       rows of the view cost
 *   tuning     rows of the view tuning: under tune what each head count scored with each value.
 *              rung_score: of eliminated ones what the rung saw, the mean of each trial's best up
 * to it builds     rows: the programs and machines that ran attempts, how many each, from when to
 * when best       trial_id of the best trial of the first setting's candidate, of those that have
 *              their weights: whose attention is shown where none was named; 0: there is none
 *   written    the time, UTC
 *
 * All trials of the plan are judged: 100,000 of them take half a second. */
void page_summary(struct scope *x, int64_t sweep_id, FILE *out);

/* The next trials of a sweep by rising trial_id, at most `most` after that of `after` (0: from the
 * first): {"total":300,"next":12 or null,"trials":rows, packed (page_rows.h)}. Those outside the
 * plan too. */
void page_trials(struct scope *x, int64_t sweep_id, int64_t after, long most, FILE *out);

/* The learning curve of a trial, running ones too: {"trial":12,"of":200,"step":[50,...],
 * "train_loss":[...],"train_acc":[...],"val_loss":[...],"val_acc":[...]}, to five digits. most: so
 * many points, and the last and the best among them; `of` is how many there are. 0: all. */
void page_curve(struct scope *x, int64_t trial_id, long most, FILE *out);

/* Sweeps side by side, 2 to REPORT_SWEEPS_MAX of different ids: {"comparison": what `report A B
 * --json` gives, "reports": of each what `report --json` gives, "written": the time, UTC}.
 * BAD_INPUT where they are judged by different metrics. */
void page_comparison(struct scope *x, const int64_t *sweep_id, int sweeps, FILE *out);

/* One trial beside its row: {"trial":12,"config":"{...}","attempts":rows}. config is what it was
 * trained with; an attempt has outcome, cause, started, ended, resumed_from_step, host, job,
 * exit_code, signal, cpu_s, max_rss_kib, version and git_commit of its build, error, note. */
void page_trial(struct scope *x, int64_t trial_id, FILE *out);

/* What single heads do, as rows: trial_id, layer, head, main_slot, main_mass, rise (what the loss
 * gains without it), importance_norm, confidence, distance, entropy, wo_share; to four digits.
 * trial_id 0: of all trials of the sweep that were measured, best trials of each head count first;
 * at most `most` heads, and of each trial all or none. */
void page_heads(struct scope *x, int64_t sweep_id, int64_t trial_id, long most, FILE *out);

/* Where the heads of a trial look, computed here from its weights, which takes about as long as
 * they are evaluated on four sequences:
 *
 *   {"trial":12,"step":1500,"layers":1,"heads":4,"sequences":2,"length":32,"of_length":32,
 *    "inputs":[[[4],[0],...],...],"weights":"base64"}
 *
 * weights: a byte per attention weight (255: 1), (layers, heads, sequences, length, length): what
 * each query gives to each key. Of long sequences the first `length` of `of_length` positions.
 * BAD_INPUT, IO, CORRUPT where the weights cannot be had: the message says why. */
enum status page_attention(struct store *s, int64_t trial_id, FILE *out, struct message *m);

/* The same, or {"missing":12}: that trial's weights, or the file that it learned from, cannot be
 * had; 0 is no trial. Why is not said, as messages name files of this machine. BUSY, NO_MEMORY. */
enum status page_attention_or_missing(struct store *s, int64_t trial_id, FILE *out,
                                      struct message *m);

struct page_options {
    const char *file; /* what the results file is called; shown without its folders */
    int64_t trial_id; /* whose attention is shown; 0: the best one's, as in page_summary */
};

/* Whether a file that begins with these bytes is a page: the first
 * PAGE_HEAD tell. */
enum { PAGE_HEAD = 4096 };
bool page_begins(const char *head);

/* Writes the page of a sweep with all of its data. Where no trial was named for the attention and
 * the best one's weights are gone, the page says so; of one that was named it fails as
 * page_attention. */
enum status page_write(struct store *s, int64_t sweep_id, const struct page_options *o, FILE *out,
                       struct message *m);

/* Writes the page of page_comparison; o: of what file. */
enum status page_write_comparison(struct store *s, const int64_t *sweep_id, int sweeps,
                                  const struct page_options *o, FILE *out, struct message *m);

/* Writes the live page, the same bytes for the list of sweeps, for every sweep and for several:
 * which are shown its script takes from the address. NO_MEMORY, IO. */
enum status page_write_live(FILE *out, struct message *m);

/* The live page's own Content-Security-Policy, for the header of that name. */
void page_live_policy(FILE *out);

#endif
