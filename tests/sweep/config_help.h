/* What the tests of sweep files and plans share. */
#ifndef TESTS_CONFIG_HELP_H
#define TESTS_CONFIG_HELP_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "sweep/plan/plan.h"

#include "tests/test.h"

/* The sweep file of this text, which must be good; it is called s.yaml. */
static inline struct config *config_of(const char *text)
{
    struct config *c;
    struct message m;
    if (config_parse("s.yaml", text, strlen(text), NULL, 0, &c, &m) != STATUS_OK)
        fail_msg("refused:\n%s\n%s", text, m.text);
    return c;
}

/* The option that the file gives, which must be one of its axes. */
static inline const struct axis *axis_of(const struct config *c, const char *path)
{
    for (int i = 0; i < c->axes; i++)
        if (strcmp(c->axis[i].path, path) == 0)
            return &c->axis[i];
    fail_msg("no axis %s", path);
    return NULL;
}

/* Gives an option of the model this word. */
static inline void set_model(struct point *p, const char *option, const char *word)
{
    struct message m;
    if (option_parse(option_find(encoder_options, option), "model", word, false, &p->model, &m))
        fail_msg("%s", m.text);
}

/* The text must be refused, by the reader or by the plan, with exactly this message. */
static inline void assert_bytes_refused(const char *text, size_t size, const char *message)
{
    struct config *c;
    struct plan *p;
    struct message m = {{0}};
    enum status s = config_parse("s.yaml", text, size, NULL, 0, &c, &m);
    if (s == STATUS_OK) {
        s = plan_new(c, NULL, 0, &p, &m);
        if (s == STATUS_OK)
            fail_msg("taken; should give: %s\nfor:\n%s", message, text);
        assert_null(p);
        config_free(c);
    } else {
        assert_null(c);
    }
    assert_int_equal(s, STATUS_BAD_INPUT);
    if (strcmp(m.text, message) != 0)
        fail_msg("\ngives:  %s\nshould: %s\nfor:\n%s", m.text, message, text);
}

static inline void assert_refused(const char *text, const char *message)
{
    assert_bytes_refused(text, strlen(text), message);
}

struct refusal {
    const char *text, *message;
};

static inline void assert_all_refused(const struct refusal *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert_refused(list[i].text, list[i].message);
}
#define ASSERT_ALL_REFUSED(list) assert_all_refused(list, sizeof(list) / sizeof *(list))

#endif
