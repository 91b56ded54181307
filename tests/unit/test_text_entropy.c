/* What a survey says of how often bytes, and labels, come. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "datasets/task_text.h"
#include "engine/base/text.h"

#include "tests/test.h"

/* Surveys a file of this name with this text in a folder of its own. */
static struct text_options surveyed(const char *name, enum text_mode_index mode, const char *text)
{
    struct text_options o = {
        .mode = mode, .length = 4, .text_column = "text", .label_column = "label"};
    struct text_buffer facts = {0};
    struct message m = {""};
    char folder[] = "/tmp/headcount-entropy-XXXXXX", expected[64];
    assert_non_null(mkdtemp(folder));
    snprintf(o.file, sizeof o.file, "%s/%s", folder, name);
    FILE *out = fopen(o.file, "w");
    assert_non_null(out);
    fputs(text, out);
    fclose(out);
    enum status s = task_text.file->survey(&o, &facts, &m);
    unlink(o.file);
    rmdir(folder);
    if (s != STATUS_OK)
        fail_msg("%s", m.text);
    snprintf(expected, sizeof expected, "\"entropy\":%g", o.entropy);
    assert_non_null(strstr(facts.text, expected));
    free(facts.text);
    return o;
}

/* ln 2 of two bytes as often, to four decimals. */
TEST(test_bytes)
{
    struct text_options o = surveyed("x.txt", TEXT_LM, "aabbabab");
    assert_each(o.entropy == .6931, o.majority == .5);
    o = surveyed("x.txt", TEXT_LM, "aaab");
    assert_true(fabs(o.entropy - (.75 * log(4. / 3) + .25 * log(4))) < .00005);
    o = surveyed("x.txt", TEXT_LM, "aaaa");
    assert_each(o.entropy == 0, !signbit(o.entropy));
}

TEST(test_labels)
{
    struct text_options o =
        surveyed("x.csv", TEXT_CLASSIFY, "text,label\na,n\nb,n\nc,n\nd,y\ne,y\nf,y\n");
    assert_each(o.entropy == .6931, o.classes == 2);
}
