/* What a slot of the coordinator keeps of what its worker says. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "sweep/run/slot.h"

#include "tests/test.h"

struct kept_notes {
    int64_t count;
    size_t longest;
    char last[SLOT_NOTE_SIZE];
};

static void keep_note(void *context, const struct slot *s, enum wire_type type, const char *text)
{
    struct kept_notes *kept = context;
    (void)s;
    assert_int_equal(type, WIRE_NOTE);
    kept->count++;
    kept->longest = strlen(text) > kept->longest ? strlen(text) : kept->longest;
    snprintf(kept->last, sizeof kept->last, "%s", text);
}

TEST(notes_are_few_and_short)
{
    static char note[WIRE_LIMIT];
    struct slot s = {0};
    struct kept_notes kept = {0};
    memset(note, 'x', sizeof note - 1);
    for (int i = 0; i < 60; i++)
        slot_hear(&s, NULL, &(struct wire_frame){.type = WIRE_NOTE, .payload = note}, keep_note,
                  &kept);
    assert_int_equal(kept.count, SLOT_NOTES_MAX);
    assert_true(kept.longest < SLOT_NOTE_SIZE);
    slot_count_notes(&s, keep_note, &kept);
    assert_string_equal(kept.last, "52 more notes of its worker were left out");
    assert_int_equal(kept.count, SLOT_NOTES_MAX + 1);
    s = (struct slot){0};
    slot_hear(&s, NULL, &(struct wire_frame){.type = WIRE_NOTE, .payload = "a short one"},
              keep_note, &kept);
    assert_string_equal(kept.last, "a short one");
    slot_count_notes(&s, keep_note, &kept);
    assert_string_equal(kept.last, "a short one");
}
