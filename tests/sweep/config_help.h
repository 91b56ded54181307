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

/* Gives an option of the model this word. */
static inline void set_model(struct point *p, const char *option, const char *word)
{
    struct message m;
    if (option_parse(option_find(encoder_options, option), "model", word, false, &p->model, &m))
        fail_msg("%s", m.text);
}

/* The text must be refused, by the reader or by the plan, with exactly this message. */
static inline void assert_refused(const char *text, const char *message)
{
    struct config *c;
    struct plan *p;
    struct message m = {{0}};
    enum status s = config_parse("s.yaml", text, strlen(text), NULL, 0, &c, &m);
    if (s == STATUS_OK) {
        s = plan_new(c, NULL, 0, &p, &m);
        config_free(c);
    }
    assert_int_equal(s, STATUS_BAD_INPUT);
    assert_string_equal(m.text, message);
}

#endif
