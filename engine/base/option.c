#include "engine/base/option.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/number.h"
#include "engine/base/text.h"
#include "engine/base/utf8.h"

int option_count(const struct option_entry *table)
{
    int n = 0;
    while (table[n].name)
        n++;
    return n;
}

const struct option_entry *option_find(const struct option_entry *table, const char *name)
{
    for (const struct option_entry *o = table; o->name; o++)
        if (strcmp(o->name, name) == 0)
            return o;
    return NULL;
}

static void *member(const struct option_entry *o, void *config)
{
    return (char *)config + o->offset;
}

static const void *member_const(const struct option_entry *o, const void *config)
{
    return (const char *)config + o->offset;
}

static void append(char *text, size_t size, const char *more)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s", more);
}

static void append_words(char *text, size_t size, const char *const *words, const char *before)
{
    for (; words && *words; words++) {
        append(text, size, before);
        append(text, size, *words);
        before = ", ";
    }
}

const char *option_allowed(const struct option_entry *o, char *text, size_t size)
{
    /* Bounds that only say "as far as the type goes" are not worth a person's time. */
    const double unbounded = o->type == OPTION_REAL ? DBL_MAX : 0x1p53;
    text[0] = '\0';
    if (o->type == OPTION_BOOL) {
        append(text, size, "true, false");
        return text;
    }
    if (o->type == OPTION_CHOICE) {
        append_words(text, size, o->words, "");
        return text;
    }
    if (o->type == OPTION_STRING) {
        snprintf(text, size, "%.0f to %.0f bytes of text without control characters", o->min,
                 o->max);
        return text;
    }
    char low[32], high[32];
    number_format(o->min > -unbounded ? o->min : 0, low, sizeof low);
    number_format(o->max < unbounded ? o->max : 0, high, sizeof high);
    if (o->min == o->max)
        snprintf(text, size, "only %s", low);
    else if (o->min <= -unbounded && o->max >= unbounded)
        snprintf(text, size, "any %s", o->type == OPTION_REAL ? "finite number" : "whole number");
    else if (o->min <= -unbounded)
        snprintf(text, size, "up to %s", high);
    else if (o->max >= unbounded)
        snprintf(text, size, o->above_min ? "above %s" : "%s or more", low);
    else
        snprintf(text, size, o->above_min ? "above %s, up to %s" : "%s to %s", low, high);
    append_words(text, size, o->words, ", or ");
    return text;
}

/* One scalar on its way into an option, for messages. */
struct scalar {
    const struct option_entry *o;
    const char *section, *text;
    bool quoted;
    struct message *m;
};

/* BAD_INPUT "<section>.<name> is <text><why>; allowed: ..." */
static enum status refuse(const struct scalar *r, const char *why)
{
    char shown[64], allowed[512];
    text_shown(r->text, shown, sizeof shown);
    const char *mark = r->quoted ? "\"" : "";
    const char *meant = r->o->words ? nearest_name(r->text, r->o->words) : NULL;
    return status_fail(r->m, STATUS_BAD_INPUT, "%s%s%s is %s%s%s%s; allowed: %s%s%s%s", r->section,
                       *r->section ? "." : "", r->o->name, mark, shown, mark, why,
                       option_allowed(r->o, allowed, sizeof allowed),
                       meant ? " (did you mean " : "", meant ? meant : "", meant ? "?)" : "");
}

/* Index of text in words, or -1. */
static int word_index(const char *const *words, const char *text)
{
    for (int i = 0; words && words[i]; i++)
        if (strcmp(words[i], text) == 0)
            return i;
    return -1;
}

/* Numbers with commas between them: a list without its brackets. */
static bool is_bare_list(const char *text)
{
    return strchr(text, ',') && text[0] != ',' && text[strspn(text, "0123456789.,+-eE ")] == '\0';
}

static bool is_null(const char *text)
{
    return !*text ||
           word_index((const char *const[]){"~", "null", "Null", "NULL", NULL}, text) >= 0;
}

/* Refuses what is no number at all, for INT, REAL and items of INT_LIST. */
static enum status check_number(const struct scalar *r, enum number_form form)
{
    static const char *const special[] = {".nan",  ".NaN",  ".NAN",  ".inf",  ".Inf",
                                          ".INF",  "+.inf", "+.Inf", "+.INF", "-.inf",
                                          "-.Inf", "-.INF", NULL};
    if (form == NUMBER_LEADING_ZERO)
        return refuse(r, ", with a leading zero that some readers take for octal");
    if (r->quoted && form != NUMBER_NONE)
        return refuse(r, ", a quoted string, where a number is expected; write it without quotes");
    if (form != NUMBER_NONE)
        return STATUS_OK;
    if (!r->quoted && is_null(r->text))
        return refuse(r, *r->text ? ", which means no value" : "empty");
    if (word_index(special, r->text) >= 0)
        return refuse(r, ", which is not a finite number");
    if (r->text[0] == '0' && (r->text[1] == 'x' || r->text[1] == 'o'))
        return refuse(r, ", which is not written in decimal");
    if (!r->quoted && is_bare_list(r->text)) {
        char why[128];
        snprintf(why, sizeof why, ", which is not a number; for a list write [%.64s]", r->text);
        return refuse(r, why);
    }
    return refuse(r, ", which is not a number");
}

static enum status parse_integer(const struct scalar *r, int64_t *value)
{
    int word = r->o->type == OPTION_INT ? word_index(r->o->words, r->text) : -1;
    if (word >= 0) {
        *value = -1 - word;
        return STATUS_OK;
    }
    enum number_form form = number_form(r->text);
    enum status s = check_number(r, form);
    if (s)
        return s;
    if (form == NUMBER_REAL)
        return refuse(r, ", but must be a whole number, written without point or exponent");
    if (r->text[0] == '+')
        return refuse(r, "; write it without the plus sign");
    double x;
    bool in_range = number_value(r->text, &x) && x >= r->o->min && x <= r->o->max;
    if (!in_range || fabs(x) >= 0x1p63)
        return refuse(r, "");
    *value = strtoll(r->text, NULL, 10);
    return STATUS_OK;
}

static enum status parse_real(const struct scalar *r, double *value)
{
    enum status s = check_number(r, number_form(r->text));
    if (s)
        return s;
    double x;
    if (!number_value(r->text, &x))
        return refuse(r, fabs(x) > 1 ? ", which is too large for a number"
                                     : ", which is too small to differ from 0");
    if (x < r->o->min || x > r->o->max || (r->o->above_min && x <= r->o->min))
        return refuse(r, "");
    if (x != 0 && (float)x == 0) /* 0 may be impossible, or mean something else: no clipping */
        return refuse(r, ", which is 0 in single precision");
    *value = x;
    return STATUS_OK;
}

/* The booleans of the core schema; `yes` and `no` are strings there. */
static enum status parse_bool(const struct scalar *r, int64_t *value)
{
    bool yes = word_index((const char *const[]){"true", "True", "TRUE", NULL}, r->text) >= 0;
    bool no = word_index((const char *const[]){"false", "False", "FALSE", NULL}, r->text) >= 0;
    if ((!yes && !no) || r->quoted)
        return refuse(r, r->quoted ? ", a quoted string" : "");
    *value = yes;
    return STATUS_OK;
}

static enum status parse_string(const struct scalar *r, char *value)
{
    const unsigned char *p = (const unsigned char *)r->text, *end = p + strlen(r->text);
    if (!r->quoted && is_null(r->text))
        return refuse(r, *r->text ? ", which means no value" : "empty");
    if ((double)(end - p) > r->o->max)
        return refuse(r, ", which is too long");
    if ((double)(end - p) < r->o->min)
        return refuse(r, ", which is too short");
    while (p < end) {
        uint32_t code;
        int n = utf8_decode(p, end, &code);
        if (!n)
            return refuse(r, ", which is not UTF-8");
        if (utf8_is_control(code))
            return refuse(r, ", which holds a control character");
        p += n;
    }
    memcpy(value, r->text, strlen(r->text) + 1);
    return STATUS_OK;
}

enum status option_parse(const struct option_entry *o, const char *section, const char *text,
                         bool quoted, void *config, struct message *m)
{
    struct scalar r = {.o = o, .section = section, .text = text, .quoted = quoted, .m = m};
    void *value = member(o, config);
    switch (o->type) {
    case OPTION_INT:
        return parse_integer(&r, value);
    case OPTION_REAL:
        return parse_real(&r, value);
    case OPTION_BOOL:
        return parse_bool(&r, value);
    case OPTION_CHOICE: {
        int word = word_index(o->words, text);
        if (word < 0)
            return refuse(&r, *text || quoted ? "" : "empty");
        *(int64_t *)value = word;
        return STATUS_OK;
    }
    case OPTION_INT_LIST: {
        struct int_list *list = value;
        if (list->n >= OPTION_LIST_MAX)
            return status_fail(m, STATUS_BAD_INPUT, "%s%s%s has more than %d items", section,
                               *section ? "." : "", o->name, OPTION_LIST_MAX);
        enum status s = parse_integer(&r, &list->item[list->n]);
        list->n += s == STATUS_OK;
        return s;
    }
    case OPTION_STRING:
        return parse_string(&r, value);
    }
    return status_fail(m, STATUS_INTERNAL, "option %s has type %d", o->name, (int)o->type);
}

enum status option_settable(const struct option_entry *o, const char *section, struct message *m)
{
    if (!o->derived)
        return STATUS_OK;
    return status_fail(m, STATUS_BAD_INPUT, "%s.%s is read from the file; give %s.file", section,
                       o->name, section);
}

size_t option_used(const struct option_entry *o, const void *config)
{
    const void *value = member_const(o, config);
    switch (o->type) {
    case OPTION_INT_LIST:
        return sizeof(int64_t) * (1 + (size_t)((const struct int_list *)value)->n);
    case OPTION_STRING:
        return strlen(value) + 1;
    default:
        return sizeof(int64_t);
    }
}

/* Bytes of the option's member. */
static size_t value_size(const struct option_entry *o)
{
    switch (o->type) {
    case OPTION_INT_LIST:
        return sizeof(struct int_list);
    case OPTION_STRING:
        return (size_t)o->max + 1;
    default:
        return sizeof(int64_t);
    }
}

/* A default list is written as in a sweep file: "[1, -1]", "[]". */
static void list_default(const struct option_entry *o, void *config)
{
    char item[32];
    for (const char *p = o->default_value; *p;) {
        size_t n = strspn(p, "+-.0123456789eE");
        if (n > 0 && n < sizeof item) {
            memcpy(item, p, n);
            item[n] = '\0';
            option_parse(o, "", item, false, config, NULL);
        }
        p += n > 0 ? n : 1;
    }
}

void option_defaults(const struct option_entry *table, void *config)
{
    for (const struct option_entry *o = table; o->name; o++) {
        memset(member(o, config), 0, value_size(o));
        if (o->default_value && o->type == OPTION_INT_LIST)
            list_default(o, config);
        else if (o->default_value)
            option_parse(o, "", o->default_value, false, config, NULL);
    }
}

static int list_format(const struct int_list *list, char *text, size_t size)
{
    size_t used = 0;
    for (int64_t i = 0; i < list->n && used < size; i++)
        used +=
            (size_t)snprintf(text + used, size - used, "%c%" PRId64, i ? ',' : '[', list->item[i]);
    if (used < size)
        used += (size_t)snprintf(text + used, size - used, "%s", list->n ? "]" : "[]");
    return (int)used;
}

/* Escapes what RFC 8785 escapes in a text without control characters. Returns the length that it
 * takes, or would take where size does not suffice. */
static int string_format(const char *value, char *text, size_t size)
{
    size_t used = 0, length = strlen(value) + 2;
    for (const char *c = value; *c; c++)
        length += *c == '"' || *c == '\\';
    if (length >= size)
        return (int)length;
    text[used++] = '"';
    for (; *value; value++) {
        if (*value == '"' || *value == '\\')
            text[used++] = '\\';
        text[used++] = *value;
    }
    snprintf(text + used, size - used, "\"");
    return (int)length;
}

int option_format(const struct option_entry *o, const void *config, char *text, size_t size)
{
    const void *value = member_const(o, config);
    int64_t integer = 0;
    if (o->type == OPTION_INT || o->type == OPTION_BOOL || o->type == OPTION_CHOICE)
        integer = *(const int64_t *)value;
    int n = 0;
    switch (o->type) {
    case OPTION_INT:
        if (integer < 0 && o->words)
            n = snprintf(text, size, "\"%s\"", o->words[-1 - integer]);
        else
            n = snprintf(text, size, "%" PRId64, integer);
        break;
    case OPTION_REAL:
        n = number_format(*(const double *)value, text, size);
        break;
    case OPTION_BOOL:
        n = snprintf(text, size, "%s", integer ? "true" : "false");
        break;
    case OPTION_CHOICE:
        n = snprintf(text, size, "\"%s\"", o->words[integer]);
        break;
    case OPTION_INT_LIST:
        n = list_format(value, text, size);
        break;
    case OPTION_STRING:
        n = string_format(value, text, size);
        break;
    }
    return n < 0 || (size_t)n >= size ? -1 : n;
}

enum { NAME_MAX_COMPARED = 64 };

/* Edits that lead from one name to the other: a letter more, less or another, or two neighbours
 * exchanged (optimal string alignment). Large for names above NAME_MAX_COMPARED bytes. */
static size_t name_distance(const char *a, const char *b)
{
    size_t la = strlen(a), lb = strlen(b);
    if (la > NAME_MAX_COMPARED || lb > NAME_MAX_COMPARED)
        return NAME_MAX_COMPARED;
    size_t rows[3][NAME_MAX_COMPARED + 1];
    size_t *before = rows[0], *above = rows[1], *row = rows[2];
    for (size_t j = 0; j <= lb; j++)
        row[j] = j;
    for (size_t i = 1; i <= la; i++) {
        size_t *oldest = before;
        before = above;
        above = row;
        row = oldest;
        row[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            size_t best = above[j - 1] + (a[i - 1] != b[j - 1]);
            best = above[j] + 1 < best ? above[j] + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            row[j] = best;
        }
    }
    return row[lb];
}

/* A third of a name may differ, as for rustc and cargo: shorter names are too easily alike. */
static size_t most_edits(const char *a, const char *b)
{
    size_t la = strlen(a), lb = strlen(b), third = (la > lb ? la : lb) / 3;
    return third < 3 ? third : 3;
}

const char *nearest_name(const char *typed, const char *const *names)
{
    const char *nearest = NULL;
    size_t least = 4;
    for (; *names; names++) {
        size_t distance = name_distance(typed, *names);
        if (distance < least && distance <= most_edits(typed, *names)) {
            least = distance;
            nearest = *names;
        }
    }
    return nearest;
}
