/* Rotary positions (Su et al. 2021): the kernel, the angles, and what a model with them knows. */
#include "tests/test.h"
#include "tests/unit/encoder_model.h"
#include "tests/unit/kernel_check.h"

/* Widths that divide a vector, that are several, and neither; with and without what does not turn.
 */
TEST(turns_as_the_reference)
{
    static const long widths[] = {2, 4, 6, 8, 10, 16, 22, 32, 48};
    enum { WIDTHS = sizeof widths / sizeof *widths, LENGTH = 4 }; /* ROWS begin again twice */
    for (int i = 0; i < WIDTHS * 3 * 2 * 2 * 2; i++) {
        const long width = widths[i % WIDTHS], groups = 1 + i / WIDTHS % 3;
        const long N = groups * width + (i / WIDTHS / 6 % 2 ? 7 : 0), n = ROWS * N;
        const float beta = (float)(i / WIDTHS / 3 % 2);
        const struct rotation t = {.T = LENGTH,
                                   .width = width,
                                   .groups = groups,
                                   .turns = noise(LENGTH * width, 1, 1),
                                   .back = i / WIDTHS / 12};
        const float *x = noise(n, 2, 1), *old = noise(n, 3, 1);
        float *y = copy(n, old);
        kernels_reference.rotate(ROWS, N, &t, x, beta, y);
        FOR_EACH_TABLE(k)
        {
            float *y2 = copy(n, old);
            k->rotate(ROWS, N, &t, x, beta, y2);
            check_close("rotate", k->name, n, y2, y, 1e-6, 1e-6);
            if (beta == 0) {
                float *same = copy(n, x);
                k->rotate(ROWS, N, &t, same, 0, same);
                check_same("rotate in place", k->name, n, same, y2);
            }
        }
        buffers_release();
    }
}

/* Angles of real positions: the turn back undoes the turn, and a product of two rows depends on how
 * far they lie apart (RoFormer, eq. 16). */
TEST(products_depend_on_distance)
{
    enum { LENGTH = 9, WIDTH = 8 };
    float turns[LENGTH * WIDTH];
    for (int i = 0; i < LENGTH * WIDTH; i += 2) {
        double angle = (i / WIDTH) * pow(10000, -(double)(i % WIDTH) / WIDTH);
        turns[i] = (float)cos(angle);
        turns[i + 1] = (float)sin(angle);
    }
    const float *q = noise(WIDTH, 1, 1), *key = noise(WIDTH, 2, 1);
    struct rotation t = {.T = LENGTH, .width = WIDTH, .groups = 1, .turns = turns};
    const struct kernels *k;
    for (int i = 0; (k = kernels_available(i)); i++) {
        float *x = buffer(LENGTH * WIDTH), *y = buffer(LENGTH * WIDTH), *z = buffer(LENGTH * WIDTH);
        for (int j = 0; j < LENGTH; j++)
            memcpy(x + j * WIDTH, j % 2 ? key : q, WIDTH * sizeof *x);
        k->rotate(LENGTH, WIDTH, &t, x, 0, y);
        t.back = true;
        k->rotate(LENGTH, WIDTH, &t, y, 0, z);
        t.back = false;
        check_close("turned back", k->name, LENGTH * WIDTH, z, x, 1e-6, 1e-6);
        for (int j = 2; j + 3 < LENGTH; j += 2) { /* a query, and a key three places on */
            double first = 0, later = 0;
            for (int c = 0; c < WIDTH; c++) {
                first += (double)y[c] * (double)y[3 * WIDTH + c];
                later += (double)y[j * WIDTH + c] * (double)y[(j + 3) * WIDTH + c];
            }
            assert_true(fabs(first - later) < 1e-5);
        }
    }
    buffers_release();
}

TEST(rotary_angles)
{
    static struct model m;
    struct encoder_config c = defaults();
    c.positions = POSITIONS_ROTARY;
    c.d_k = 8;
    model_new(&m, &c);
    assert_each(!nn_find(&m.encoder->nn, "pos.weight"), !m.encoder->pos);
    const real *turns = m.encoder->turns->data;
    assert_int_equal(tensor_size(m.encoder->turns), T * 8);
    const double expected[] = {1, 0, cos(3), sin(3), cos(0.3), sin(0.3), sin(3e-3)};
    const real found[] = {turns[6],         turns[7],         turns[24],       turns[25],
                          turns[3 * 8 + 2], turns[3 * 8 + 3], turns[3 * 8 + 7]};
    for (int i = 0; i < 7; i++)
        assert_true(fabs((double)found[i] - expected[i]) < 1e-6);
    arena_free(&m.arena);
}

/* Where positions are rotary only distances count: the same tokens behind padding give the same,
 * and in another order something else. */
TEST(only_distances_count)
{
    static struct model m, other;
    enum { ROW = S * OUT, KEPT = T - 2 };
    real before[T * ROW];
    struct encoder_config c = defaults();
    c.positions = POSITIONS_ROTARY;
    c.layers = 2;
    c.kv_heads = 2;
    model_new(&m, &c);
    memset(m.padding + KEPT, 1, T - KEPT);
    memcpy(before, model_run(&m), sizeof before);
    model_new(&other, &c);
    memmove(other.tokens + 2 * (T - KEPT), m.tokens, 2 * KEPT * sizeof *m.tokens);
    memset(other.padding, 1, T - KEPT);
    check_close("moved on", "model", KEPT * ROW, model_run(&other) + (T - KEPT) * ROW, before, 1e-5,
                1e-5);

    int32_t first[2] = {m.tokens[0], m.tokens[1]};
    memcpy(m.tokens, m.tokens + 2, sizeof first);
    memcpy(m.tokens + 2, first, sizeof first);
    const real *after = model_run(&m);
    double most = 0;
    for (int i = 0; i < ROW; i++)
        most = fmax(most, fabs((double)(after[3 * ROW + i] - before[3 * ROW + i])));
    assert_true(most > 1e-3);
    arena_free(&m.arena);
    arena_free(&other.arena);
}

static void check_refusal(struct encoder_config c, const char *option, const char *says)
{
    struct encoder_shapes s;
    struct message m;
    assert_int_equal(encoder_shapes(&c, &s, &m), STATUS_BAD_INPUT);
    if (strncmp(m.text, says, strlen(says)) != 0)
        fail_msg("\ngives:  %s\nshould: %s", m.text, says);
    assert_string_equal(s.fault.option[0], option);
}

/* Pairs of numbers turn, so that there must be an even number of them; what makes it odd is told.
 */
TEST(odd_widths_are_refused)
{
    struct encoder_shapes s;
    struct encoder_config c = defaults();
    c.positions = POSITIONS_ROTARY;
    c.heads = 16;
    check_refusal(c, "model.heads",
                  "model.positions is rotary, which turns pairs of numbers, but d_k is 1 "
                  "(from model.heads); make it even (model.d_k: 2), or use other positions");
    assert_int_equal(encoder_shapes(&c, &s, NULL), STATUS_BAD_INPUT);
    assert_string_equal(
        s.fault.rule, "model.positions != 'rotary' or model.d_k != 'd_head' or model.d_head != "
                      "'split' or model.form == 'segments' or model.d_model % (2 * model.heads) == "
                      "0");
    c.d_head = 5;
    check_refusal(c, "model.d_head",
                  "model.positions is rotary, which turns pairs of numbers, but d_k is 5 "
                  "(from model.d_head); make it even (model.d_k: 6)");
    c.d_k = 3;
    check_refusal(c, "model.d_k",
                  "model.positions is rotary, which turns pairs of numbers, but d_k is 3 "
                  "(from model.d_k); make it even (model.d_k: 4)");
    c.d_k = 2;
    assert_int_equal(encoder_shapes(&c, &s, NULL), STATUS_OK);
    c = defaults();
    c.positions = POSITIONS_ROTARY;
    assert_int_equal(
        option_parse(option_find(encoder_options, "form"), "", "segments", false, &c, NULL),
        STATUS_OK);
    c.segment_width = 3;
    check_refusal(c, "model.segment_width",
                  "model.positions is rotary, which turns pairs of numbers, but d_k is 3 "
                  "(from model.segment_width); make it even (model.d_k: 4)");
    c.segment_width = 2;
    assert_int_equal(encoder_shapes(&c, &s, NULL), STATUS_OK);
}
