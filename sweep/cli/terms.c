#include "sweep/cli/terms.h"

#include <stdio.h>

#include "engine/base/text.h"

enum { INDENT = 4, WIDTH = 80 };

static const struct term {
    const char *name, *meaning;
} terms[] = {
#define TERM(name, meaning) {name, meaning},
#include "sweep/cli/terms.def"
#undef TERM
};

void terms_print(void)
{
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
        printf("%s\n", terms[i].name);
        text_paragraph(stdout, terms[i].meaning, INDENT, INDENT, WIDTH);
    }
}

void terms_list(void)
{
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
        printf("%s\t%s\n", terms[i].name, terms[i].meaning);
}
