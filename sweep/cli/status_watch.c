#include "sweep/cli/status_watch.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "sweep/cli/command.h"
#include "sweep/run/frame.h"
#include "sweep/worker/stop.h"

enum { EVERY_MS = 1000, SHARE = 4 /* of the time that looking takes at most */ };

struct view {
    enum status (*page)(void *context, struct text_page page, FILE *out, struct message *m);
    enum status (*lines)(void *context, FILE *out, struct message *m);
    void *context;
    bool live; /* on a terminal */
    struct frame frame;
    struct text_buffer seen; /* what was last read */
    bool begun, troubled;    /* something was read; the last reading failed */
};

/* What is in the file now; the caller frees text->text. */
static enum status look(struct view *v, struct text_buffer *text, struct message *m)
{
    FILE *out = text_stream(text);
    if (!out)
        return status_fail(m, STATUS_NO_MEMORY, "no memory");
    struct text_page page = {.columns = v->frame.columns - 1};
    enum status status = v->live ? v->page(v->context, page, out, m) : v->lines(v->context, out, m);
    fclose(out);
    return status == STATUS_OK && text->out_of_memory
               ? status_fail(m, STATUS_NO_MEMORY, "no memory")
               : status;
}

/* ---- a terminal ---- */

static void draw_line(struct view *v, const char *text, size_t size, const char *color)
{
    struct line l;
    char plain[LINE_SIZE];
    snprintf(plain, sizeof plain, "%.*s", (int)(size < LINE_SIZE ? size : LINE_SIZE - 1), text);
    line_clear(&l);
    line_add(&l, "%s", plain);
    line_cut(&l, v->frame.columns - 1);
    frame_line(&v->frame, &l, color);
}

/* The lines of what was last read, as far as the terminal has rows, below a heading. */
static void draw(struct view *v, const struct message *trouble)
{
    char now[16], heading[MESSAGE_SIZE + 64];
    time_t t = time(NULL);
    struct tm local;
    strftime(now, sizeof now, "%H:%M:%S", localtime_r(&t, &local));
    snprintf(heading, sizeof heading, "%s  %s", now, trouble ? trouble->text : "Ctrl-C ends this");
    draw_line(v, heading, strlen(heading), trouble ? "\033[1;31m" : "\033[2m");
    int lines = v->frame.rows - 2; /* the cursor stands below */
    const char *line = v->seen.text ? v->seen.text : "";
    for (int i = 0; *line && i < lines; i++) {
        size_t size = strcspn(line, "\n");
        draw_line(v, line, size, i == 0 ? "\033[1m" : "");
        line += size + (line[size] == '\n');
    }
}

static void show_page(struct view *v, const struct message *trouble)
{
    if (!frame_in_front(&v->frame) || !frame_begin(&v->frame))
        return;
    draw(v, trouble);
    frame_end(&v->frame);
}

/* ---- elsewhere ---- */

static bool has_line(const char *text, const char *line, size_t size)
{
    for (; text && *text; text += strcspn(text, "\n") + 1) {
        if (strncmp(text, line, size) == 0 && text[size] == '\n')
            return true;
        if (!text[strcspn(text, "\n")])
            break;
    }
    return false;
}

static void print_line(const char *line, size_t size)
{
    char now[32];
    time_t t = time(NULL);
    struct tm utc;
    strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&t, &utc));
    printf("%s  ", now);
    text_plain_part(stdout, line, size);
    putchar('\n');
}

static void print_changes(const struct view *v, const struct text_buffer *text)
{
    for (const char *line = text->text ? text->text : ""; *line;) {
        size_t size = strcspn(line, "\n");
        if (!has_line(v->seen.text, line, size))
            print_line(line, size);
        line += size + (line[size] == '\n');
    }
}

/* ---- both ---- */

/* One round. On a terminal what could be read last stays on show, below the reason why it is not
 * read any more; elsewhere, once it can be read again, all of it is news. */
static enum status show(struct view *v, struct message *m)
{
    struct text_buffer text = {0};
    enum status status = look(v, &text, m);
    if (status == STATUS_INTERRUPTED || (!v->begun && status != STATUS_OK)) {
        free(text.text);
        return status;
    }
    v->begun = true;
    if (!v->live && status == STATUS_OK)
        print_changes(v, &text);
    else if (!v->live && !v->troubled)
        print_line(m->text, strlen(m->text));
    if (status == STATUS_OK || !v->live) {
        free(v->seen.text);
        v->seen = (struct text_buffer){0};
    }
    if (status == STATUS_OK)
        v->seen = text;
    else
        free(text.text);
    v->troubled = status != STATUS_OK;
    if (v->live)
        show_page(v, v->troubled ? m : NULL);
    fflush(stdout);
    return status;
}

/* Waits for the next round; false where there is to be none. */
static bool wait_for_next(double took_s)
{
    int wait_ms = took_s * SHARE * 1000 > EVERY_MS ? (int)(took_s * SHARE * 1000) : EVERY_MS;
    struct pollfd awaited[] = {{.fd = stop_wake_fd(), .events = POLLIN},
                               {.fd = STDOUT_FILENO}}; /* POLLERR: its reader has gone */
    poll(awaited, 2, wait_ms);
    stop_drain();
    return stop_requests() == 0 && !(awaited[1].revents & (POLLERR | POLLHUP)) && !ferror(stdout);
}

int status_watch(enum status (*page)(void *context, struct text_page page, FILE *out,
                                     struct message *m),
                 enum status (*lines)(void *context, FILE *out, struct message *m), void *context)
{
    struct message m = {{0}};
    struct view v = {
        .page = page, .lines = lines, .context = context, .live = frame_possible(stdout)};
    frame_init(&v.frame, stdout);
    enum status status = stop_install(&m);
    if (status == STATUS_OK) {
        frame_size(&v.frame);
        double since_s = clock_now_s();
        status = show(&v, &m);
        while (status == STATUS_OK && wait_for_next(clock_now_s() - since_s)) {
            since_s = clock_now_s();
            show(&v, &m);
        }
        stop_restore();
    }
    free(v.seen.text);
    frame_free(&v.frame);
    return status == STATUS_OK || status == STATUS_INTERRUPTED ? EXIT_DONE
                                                               : command_fail("status", status, &m);
}
