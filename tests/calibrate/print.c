#include "tests/calibrate/print.h"

#include <math.h>
#include <stdio.h>

/* A rate exactly at its level is called a breach once in 20,000 runs: of the some 1,500 that are
 * held against one, any is in one run of 13. */
static const double SURPRISE = .00005;

/* Coverage below is told as low. */
static const double LOW = .92;

void print_case(const struct calibration *c)
{
    printf("%s%s\n", c->name, c->beyond ? " (beyond what is assumed: held against no level)" : "");
}

static void print_rate(const char *word, long k, long n)
{
    double low, high;
    stats_binomial((int)k, (int)n, &low, &high);
    printf("%s %6.2f %% [%.2f, %.2f]", word, 100. * (double)k / (double)n, 100 * low, 100 * high);
}

static bool print_statement(const struct tally *t, enum statement what, bool beyond)
{
    long wrong = t->wrong[what], right = t->made[what] - wrong;
    bool promise = !beyond && STATEMENT[what].level < 1;
    bool breach = promise && tally_breach(t, what, SURPRISE);
    printf("    %-38s", STATEMENT[what].name);
    print_rate("wrong", wrong, t->sweeps);
    if (promise)
        printf(", level %.1f %%: %s", 100 * STATEMENT[what].level, breach ? "BREACH" : "ok");
    if (right > 0 && STATEMENT[what].can_be_missed)
        print_rate("; right", right, t->sweeps);
    printf("\n");
    return breach;
}

static void print_interval(const struct tally *t, enum interval what)
{
    long given = t->given[what], covering = t->covering[what];
    if (given == 0)
        return;
    printf("    %-38s", INTERVAL_NAME[what]);
    print_rate("holds", covering, given);
    printf("%s\n", (double)covering < LOW * (double)given ? ": LOW" : "");
}

int print_variant(const struct calibration *c, const struct world *w, const struct tally *t)
{
    int breaches = 0;
    for (enum statement i = 0; i < STATEMENTS; i++)
        if (tally_applies(w, i))
            breaches += print_statement(t, i, c->beyond);
    for (enum interval i = 0; i < INTERVALS; i++)
        print_interval(t, i);
    for (int i = 0; i < synthetic_looks(w); i++)
        printf("    %.1f %% ended with %d seeds\n",
               100. * (double)t->last_look[i] / (double)t->sweeps, w->look[i]);
    return breaches;
}

/* ---- the table ---- */

/* Highest share of sweeps in which it is wrong, of all variants; NaN: it does not apply. */
static double worst(const struct outcome *o, enum statement what)
{
    double most = NAN;
    for (int i = 0; i < CALIBRATION_VARIANTS; i++) {
        const struct tally *t = &o->tally[i];
        if (t->sweeps && tally_applies(&o->calibration->world, what))
            most = fmax(most, (double)t->wrong[what] / (double)t->sweeps);
    }
    return most;
}

/* Lowest coverage of the variants with n seeds (0: with any number), of those where an interval is
 * not an exception; NaN: there is none. */
static double least(const struct outcome *o, enum interval what, int n)
{
    double lowest = NAN;
    for (int i = 0; i < CALIBRATION_VARIANTS; i++) {
        const struct tally *t = &o->tally[i];
        if (t->given[what] > t->sweeps / 20 && (n == 0 || n == CALIBRATION_VARIANT[i].n))
            lowest = fmin(lowest, (double)t->covering[what] / (double)t->given[what]);
    }
    return lowest;
}

static void print_cell(double share, int digits)
{
    if (isnan(share))
        printf(" |");
    else
        printf(" %.*f |", digits, 100 * share);
}

static void print_worst(const struct outcome *o, int count)
{
    static const enum statement column[] = {SAYS_MIDDLE, SAYS_CONFIRMED, SAYS_CONTRADICTED,
                                            SAYS_SET,    SAYS_WITHIN,    SAYS_EQUIVALENT};
    enum { COLUMNS = sizeof column / sizeof *column };
    printf("\n| case | middle | confirmed | contradicted | set | within | equivalent "
           "| mean, n = 5 | 8 | 20 | median | difference |\n|---|");
    for (int i = 0; i < COLUMNS + 5; i++)
        printf("--:|");
    printf("\n");
    for (int i = 0; i < count; i++) {
        printf("| %s |", o[i].calibration->name);
        for (int k = 0; k < COLUMNS; k++)
            print_cell(worst(&o[i], column[k]), 2);
        for (int k = 0; k < CALIBRATION_VARIANTS / 2; k++)
            print_cell(least(&o[i], OF_MEAN, CALIBRATION_VARIANT[k].n), 1);
        print_cell(least(&o[i], OF_MEDIAN, 0), 1);
        print_cell(least(&o[i], OF_DIFFERENCE, 0), 1);
        printf("\n");
    }
}

/* Seeds, or instances, at the last look where there are looks. */
static int most_units(const struct outcome *o, int variant)
{
    const struct world *w = &o->calibration->world;
    int looks = synthetic_looks(w);
    return looks ? w->look[looks - 1] : CALIBRATION_VARIANT[variant].n;
}

/* Highest share of wrong, lowest share of right sweeps with these seeds; NaN: there are none. */
static double rate_at(const struct outcome *o, enum statement what, int n, bool right)
{
    double rate = NAN;
    for (int i = 0; i < CALIBRATION_VARIANTS; i++) {
        const struct tally *t = &o->tally[i];
        if (t->sweeps == 0 || most_units(o, i) != n)
            continue;
        double wrong = (double)t->wrong[what] / (double)t->sweeps;
        double made = (double)t->made[what] / (double)t->sweeps;
        rate = right ? fmin(rate, made - wrong) : fmax(rate, wrong);
    }
    return rate;
}

static void print_rates_of(const struct outcome *o, enum statement what)
{
    const struct statement_text *text = &STATEMENT[what];
    printf("| %s%s | %s | %.1f |", o->calibration->name, o->calibration->beyond ? " *" : "",
           text->name, 100 * text->level);
    for (int k = 0; k < CALIBRATION_VARIANTS / 2; k++)
        print_cell(rate_at(o, what, CALIBRATION_VARIANT[k].n, false), 1);
    for (int k = 0; k < CALIBRATION_VARIANTS / 2; k++)
        print_cell(text->can_be_missed ? rate_at(o, what, CALIBRATION_VARIANT[k].n, true) : NAN, 1);
    printf("\n");
}

static bool is_made(const struct outcome *o, enum statement what)
{
    bool made = false;
    for (int i = 0; i < CALIBRATION_VARIANTS; i++)
        made = made || o->tally[i].made[what] > 0;
    return made && STATEMENT[what].level < 1 && tally_applies(&o->calibration->world, what);
}

void print_table(const struct outcome *o, int count)
{
    print_worst(o, count);
    printf("\n| case | statement | level | wrong, n = 5 | 8 | 20 | right, n = 5 | 8 | 20 |\n"
           "|---|---|--:|--:|--:|--:|--:|--:|--:|\n");
    for (int i = 0; i < count; i++)
        for (enum statement what = 0; what < STATEMENTS; what++)
            if (is_made(&o[i], what))
                print_rates_of(&o[i], what);
}
