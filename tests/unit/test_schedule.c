#include <math.h>
#include <stddef.h>

#include "engine/schedule.h"

#include "tests/test.h"

static void near(double a, double b)
{
    if (!(fabs(a - b) <= 1e-15))
        fail_msg("%.17g is not %.17g", a, b);
}

TEST(constant_after_warmup)
{
    near(schedule_factor(SCHEDULE_CONSTANT, 0, 100, 0), 1);
    near(schedule_factor(SCHEDULE_CONSTANT, 0, 100, 99), 1);
    near(schedule_factor(SCHEDULE_CONSTANT, 4, 100, 0), 0.25);
    near(schedule_factor(SCHEDULE_CONSTANT, 4, 100, 2), 0.75);
    near(schedule_factor(SCHEDULE_CONSTANT, 4, 100, 3), 1);
    near(schedule_factor(SCHEDULE_CONSTANT, 4, 100, 4), 1);
}

TEST(cosine)
{
    near(schedule_factor(SCHEDULE_COSINE, 0, 100, 0), 1);
    near(schedule_factor(SCHEDULE_COSINE, 0, 99, 33), 0.75);
    near(schedule_factor(SCHEDULE_COSINE, 0, 100, 50), 0.5);
    near(schedule_factor(SCHEDULE_COSINE, 60, 90, 29), 0.5 * 0.5 * (1 + cos(29 * acos(-1) / 90)));
}

TEST(linear)
{
    near(schedule_factor(SCHEDULE_LINEAR, 0, 8, 0), 1);
    near(schedule_factor(SCHEDULE_LINEAR, 0, 8, 6), 0.25);
    near(schedule_factor(SCHEDULE_LINEAR, 4, 8, 1), 0.5 * 0.875);
}

/* Between warmup and the end every schedule only falls, and stays above 0. */
TEST(falls_and_stays_positive)
{
    for (int name = SCHEDULE_CONSTANT; name <= SCHEDULE_LINEAR; name++) {
        double before = 2;
        for (int t = 10; t < 1000; t++) {
            double f = schedule_factor((enum schedule_name)name, 10, 1000, t);
            assert_each(f > 0, f <= before, f <= 1);
            before = f;
        }
    }
}
