/* Numbers as text, and back: the canonical numbers that identity rests on. */
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/number.h"

#include "tests/test.h"

TEST(test_number_format)
{
    /* RFC 8785 appendix B, and powers of two, whose nearest 16 digits do not read back. */
    static const struct {
        double x;
        const char *text;
    } known[] = {
        {0, "0"},
        {-0.0, "0"},
        {5e-324, "5e-324"},
        {-5e-324, "-5e-324"},
        {DBL_MAX, "1.7976931348623157e+308"},
        {-DBL_MAX, "-1.7976931348623157e+308"},
        {9007199254740992, "9007199254740992"},
        {-9007199254740992, "-9007199254740992"},
        {295147905179352830000.0, "295147905179352830000"},
        {9.999999999999997e22, "9.999999999999997e+22"},
        {1e23, "1e+23"},
        {1.0000000000000001e23, "1.0000000000000001e+23"},
        {999999999999999700000.0, "999999999999999700000"},
        {999999999999999900000.0, "999999999999999900000"},
        {1e21, "1e+21"},
        {9.999999999999997e-7, "9.999999999999997e-7"},
        {0.000001, "0.000001"},
        {333333333.3333332, "333333333.3333332"},
        {333333333.33333325, "333333333.33333325"},
        {333333333.3333333, "333333333.3333333"},
        {333333333.3333334, "333333333.3333334"},
        {333333333.33333343, "333333333.33333343"},
        {-0.0000033333333333333333, "-0.0000033333333333333333"},
        {1424953923781206.2, "1424953923781206.2"},
        {0x1p-44, "5.684341886080802e-14"},
        {0x1p-1022, "2.2250738585072014e-308"},
        {3e-3, "0.003"},
        {1e-8, "1e-8"},
        {0.1 + 0.2, "0.30000000000000004"},
        {1500, "1500"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char text[32];
        assert_int_equal(number_format(known[i].x, text, sizeof text), strlen(known[i].text));
        assert_string_equal(text, known[i].text);
    }
}

/* Shortest: no text with one digit fewer reads back; every text reads back. */
TEST(test_number_round_trip)
{
    for (int exponent = -1074; exponent < 1024; exponent++) {
        for (int odd = 0; odd < 2; odd++) {
            double x = ldexp(odd ? 1.7320508075688772 : 1, exponent), back;
            char text[32], shorter[40];
            bool integral;
            number_format(x, text, sizeof text);
            assert_true(number_parse(text, &back, &integral));
            assert_true(back == x);
            int digits = 0, zeros = 0;
            for (const char *p = text; *p && *p != 'e'; p++) {
                digits += *p >= '0' && *p <= '9' && (digits > 0 || *p != '0');
                zeros = *p == '0' ? zeros + 1 : *p == '.' ? zeros : 0;
            }
            if (!strpbrk(text, ".e"))
                digits -= zeros;
            if (digits > 1) {
                snprintf(shorter, sizeof shorter, "%.*e", digits - 2, x);
                assert_false(strtod(shorter, NULL) == x);
            }
        }
    }
}

TEST(test_number_parse)
{
    double x = 0;
    bool integral = false;
    assert_each(number_parse("-12", &x, &integral), x == -12, integral);
    assert_each(number_parse("12.", &x, &integral), x == 12, !integral);
    assert_each(number_parse("1e2", &x, &integral), x == 100, !integral);
    static const char *const refused[] = {"",      "-",   ".",   "e1",    "1e",     "1e+",  "1 ",
                                          " 1",    "08",  "0x1", "1e999", "inf",    ".inf", "nan",
                                          "1.2.3", "--1", "1,0", "-07",   "1e-999", NULL};
    for (const char *const *p = refused; *p; p++)
        if (number_parse(*p, &x, &integral))
            fail_msg("taken for a number: '%s'", *p);
}
