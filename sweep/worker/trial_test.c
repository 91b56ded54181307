#include "sweep/worker/trial_test.h"

#include <string.h>

struct test_room test_room_new(struct arena *a, const struct data *d)
{
    struct test_room room = {0};
    if (!data_label(d, 0))
        return room;
    room.predicted = arena_alloc(a, (size_t)data_test(d)->n, sizeof *room.predicted);
    room.label = arena_alloc(a, (size_t)data_shape(d)->classes, sizeof *room.label);
    return room;
}

/* Sequences lie in the order of the text, so that neighbours are a block of it. */
static void test_blocks(struct trainer *t, const struct data *d, struct result *r)
{
    const struct examples *set = data_test(d);
    long B = set->n < RESULT_BLOCKS ? set->n : RESULT_BLOCKS;
    for (long k = 0; k < B; k++) {
        long first = k * set->n / B, end = (k + 1) * set->n / B;
        const struct examples block = data_range(d, set, first, end - first);
        struct metrics metrics = {0};
        trainer_evaluate(t, &block, &metrics);
        r->block_loss[k] = metrics.loss;
    }
    r->blocks = (int)B;
}

static void test_labels(struct trainer *t, const struct data *d, const struct test_room *room,
                        struct result *r)
{
    const struct examples *set = data_test(d);
    long classes = data_shape(d)->classes;
    trainer_predict(t, set, room->predicted);
    memset(room->label, 0, (size_t)classes * sizeof *room->label);
    for (long i = 0; i < set->n; i++) {
        struct result_label *label = &room->label[set->targets[i]];
        label->n++;
        label->right += room->predicted[i] == set->targets[i];
    }
    r->labels = 0;
    for (long k = 0; k < classes; k++) {
        room->label[k].name = data_label(d, k);
        if (room->label[k].n > 0)
            room->label[r->labels++] = room->label[k];
    }
    r->label = room->label;
}

void trial_test_values(struct trainer *t, const struct data *d, const struct test_room *room,
                       struct result *r)
{
    struct metrics test = {.acc_by_slot = r->test_acc_by_slot};
    trainer_evaluate(t, data_test(d), &test);
    r->slots = (int)data_shape(d)->slots;
    r->test_acc = test.acc;
    r->test_exact = test.exact;
    r->test_loss = test.loss;
    if (data_shape(d)->bytes)
        test_blocks(t, d, r);
    if (room->label)
        test_labels(t, d, room, r);
}
