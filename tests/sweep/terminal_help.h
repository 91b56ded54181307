/* A terminal to write to: a pseudo-terminal, and a small model of a screen (cursor up, erase line,
 * erase below) that shows what was written there. */
#ifndef TESTS_SWEEP_TERMINAL_HELP_H
#define TESTS_SWEEP_TERMINAL_HELP_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "tests/test.h"

enum { ROWS = 40, COLUMNS = 200 };

struct screen {
    char cell[ROWS][COLUMNS + 1];
    int row, column, width;
};

static inline void screen_clear(struct screen *s, int row, int column)
{
    memset(s->cell[row] + column, ' ', (size_t)(COLUMNS - column));
    s->cell[row][COLUMNS] = '\0';
}

static inline void screen_init(struct screen *s, int width)
{
    memset(s, 0, sizeof *s);
    s->width = width;
    for (int i = 0; i < ROWS; i++)
        screen_clear(s, i, 0);
}

/* Takes one escape sequence that starts at text; returns its length. */
static inline size_t screen_escape(struct screen *s, const char *text)
{
    int number = 0;
    size_t i = 2;
    for (; (text[i] >= '0' && text[i] <= '9') || text[i] == ';'; i++)
        number = text[i] == ';' ? 0 : 10 * number + text[i] - '0';
    switch (text[i]) {
    case 'A':
        s->row = s->row > number ? s->row - number : 0;
        break;
    case 'K':
        assert_int_equal(number, 0);
        screen_clear(s, s->row, s->column);
        break;
    case 'J':
        screen_clear(s, s->row, s->column);
        for (int r = s->row + 1; r < ROWS; r++)
            screen_clear(s, r, 0);
        break;
    case 'm':
        break;
    default:
        fail_msg("escape sequence ends with '%c'", text[i]);
    }
    return i + 1;
}

static inline void screen_write(struct screen *s, const char *text)
{
    for (size_t i = 0; text[i];) {
        if (text[i] == '\033') {
            i += screen_escape(s, text + i);
            continue;
        }
        if (text[i] == '\n') {
            s->row++;
            s->column = 0; /* the terminal's own output processing */
        } else if (text[i] == '\r') {
            s->column = 0;
        } else if (((unsigned char)text[i] & 0xC0) != 0x80) {
            assert_true(s->column < s->width); /* nothing wraps */
            s->cell[s->row][s->column++] = text[i];
        }
        assert_true(s->row < ROWS);
        i++;
    }
}

/* How many lines are not empty. */
static inline int screen_lines(const struct screen *s)
{
    int n = 0;
    for (int i = 0; i < ROWS; i++)
        n += strspn(s->cell[i], " ") < COLUMNS;
    return n;
}

static inline bool screen_has(const struct screen *s, const char *text)
{
    for (int i = 0; i < ROWS; i++)
        if (strstr(s->cell[i], text))
            return true;
    return false;
}

struct terminal {
    int master;
    FILE *f;
};

static inline void terminal_resize(struct terminal *t, int width, int height)
{
    struct winsize size = {.ws_col = (unsigned short)width, .ws_row = (unsigned short)height};
    assert_int_equal(ioctl(t->master, TIOCSWINSZ, &size), 0);
}

/* Skips the test where the machine has no pseudo-terminals, as in a container without /dev/pts. */
static inline struct terminal terminal_open(int width)
{
    struct terminal t = {posix_openpt(O_RDWR | O_NOCTTY), NULL};
    if (t.master < 0)
        skip();
    assert_int_equal(grantpt(t.master), 0);
    assert_int_equal(unlockpt(t.master), 0);
    int slave = open(ptsname(t.master), O_RDWR | O_NOCTTY);
    if (slave < 0 && errno == ENOENT)
        skip();
    assert_true(slave >= 0);
    struct termios mode;
    assert_int_equal(tcgetattr(slave, &mode), 0);
    mode.c_oflag &= ~(tcflag_t)OPOST; /* read back exactly what was written */
    assert_int_equal(tcsetattr(slave, TCSANOW, &mode), 0);
    t.f = fdopen(slave, "w");
    terminal_resize(&t, width, 24);
    return t;
}

/* What was written since the last call. */
static inline void terminal_read(struct terminal *t, char *text, size_t size)
{
    size_t used = 0;
    struct pollfd p = {.fd = t->master, .events = POLLIN};
    while (used + 1 < size && poll(&p, 1, 0) == 1 && (p.revents & POLLIN)) {
        ssize_t n = read(t->master, text + used, size - 1 - used);
        if (n <= 0)
            break;
        used += (size_t)n;
    }
    text[used] = '\0';
}

static inline void terminal_close(struct terminal *t)
{
    fclose(t->f);
    close(t->master);
}

/* What programs ask to find out what a terminal can do. */
static inline void environment(const char *term, const char *locale, const char *no_color)
{
    setenv("TERM", term, 1);
    setenv("LC_ALL", locale, 1);
    setenv("NO_COLOR", no_color, 1);
}

#endif
