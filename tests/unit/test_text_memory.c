/* The task over a user's own file where memory runs out: at every allocation it says so, and leaves
 * nothing behind. */
#include <fcntl.h>

#include "datasets/task_text.h"
#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "tests/unit/faults.h"
#include "tests/unit/own_file.h"

static int next_descriptor(void)
{
    int fd = open("/dev/null", O_RDONLY);
    close(fd);
    return fd;
}

static enum status survey_once(struct text_options *o, enum text_mode_index mode)
{
    struct text_buffer facts = {0};
    option_defaults(task_text.options, o);
    o->mode = mode;
    o->length = 1;
    strcpy(o->file, path);
    enum status s = task_text.file->survey(o, &facts, &m);
    free(facts.text);
    return s;
}

static enum status open_in(struct arena *a, const struct text_options *o)
{
    struct task_source *source;
    struct task_anchors anchors;
    enum status s = task_text.file->open(a, o, NULL, false, &source, &m);
    if (s == STATUS_OK)
        s = task_text.file->anchors(source, &anchors, &m);
    task_text.file->close(source);
    return s;
}

static enum status open_once(const struct text_options *o)
{
    jmp_buf exhausted;
    struct arena a;
    arena_init(&a, &exhausted);
    enum status s = setjmp(exhausted) ? STATUS_NO_MEMORY : open_in(&a, o);
    arena_free(&a);
    return s;
}

/* Returns at how many allocations it failed. */
static int fail_everywhere(enum text_mode_index mode, const char *name, const char *text)
{
    struct text_options o;
    int failed = 0, free_descriptor = next_descriptor();
    write_file(name, text, strlen(text));
    for (int nth = 1, fired = 1; fired; nth++, failed += fired) {
        fault_arm(FAULT_MALLOC, nth, ENOMEM);
        enum status s = survey_once(&o, mode);
        fired = fault_disarm();
        assert_int_equal(s, fired ? STATUS_NO_MEMORY : STATUS_OK);
    }
    for (int nth = 1, fired = 1; fired; nth++, failed += fired) {
        fault_arm(FAULT_MALLOC, nth, ENOMEM);
        enum status s = open_once(&o);
        fired = fault_disarm();
        assert_int_equal(s, fired ? STATUS_NO_MEMORY : STATUS_OK);
    }
    assert_int_equal(next_descriptor(), free_descriptor);
    assert_int_equal(remove(path), 0);
    return failed;
}

GROUP(set_up, tear_down)

FIXTURE(NULL, remove_file)

TEST(every_allocation_may_fail)
{
    static const char csv[] = "text,label\na,x\nb,x\nc,x\nd,y\ne,y\nf,y\n";
    static const char lines[] =
        "{\"text\":\"a\",\"label\":1}\n{\"text\":\"b\",\"label\":1}\n{\"text\":\"c\",\"label\":1}\n"
        "{\"text\":\"d\",\"label\":2}\n{\"text\":\"e\",\"label\":2}\n{\"text\":\"f\",\"label\":2}";
    if (!FAULTS_IN_MALLOC)
        skip();
    assert_true(fail_everywhere(TEXT_LM, "a.txt", csv) >= 6);
    assert_true(fail_everywhere(TEXT_CLASSIFY, "a.csv", csv) >= 6);
    assert_true(fail_everywhere(TEXT_CLASSIFY, "a.jsonl", lines) >= 10);
}
