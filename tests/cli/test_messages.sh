#!/bin/sh
# The index of messages (`make messages`): what it takes from a source and what it leaves, and that no message of the
# program is longer than three lines of a terminal. Speaks TAP.
. tests/tap.sh
not_sanitized "the index of messages has every message"
cat >"$dir/a.c" <<'C'
/* status_fail(m, "a comment is no message") */
static enum status f(struct message *m)
{
    static const char sql[] = "SELECT what is no message";
    if (g(m, "of a call that says nothing") != ')')
        return status_fail(m, STATUS_IO,
                           "in two "
                           "lines, %" PRId64 " \"times\"",
                           n);
    refuse_it(a ? "the one way" : "or the other", h("within it"), "x");
    fputs("on its way to stderr\n", stderr);
    printf("a report is none: %s\n", "nor this");
    return STATUS_OK;
}
C
cat >"$dir/expected" <<E
$dir/a.c:7  in two lines, %d "times"
$dir/a.c:10  the one way
$dir/a.c:10  or the other
$dir/a.c:10  within it
$dir/a.c:11  on its way to stderr
E
index() { awk -f tests/messages.awk "$@"; }
taken() { index "$dir/a.c" >"$dir/index" && diff "$dir/expected" "$dir/index"; }
check "the index has what refuses, warns and goes to stderr, and nothing else" taken
all() { index -v all=1 "$dir/a.c" | grep -q "a report is none" && index -v all=1 "$dir/a.c" | grep -q "says nothing"; }
check "... and all texts, if asked" all
of_make() {
    make -s messages >"$dir/index" && [ "$(wc -l <"$dir/index")" -gt 800 ] &&
        grep -q "sweep/plan/config_axes.c:[0-9]*  missing key 'task': what to learn" "$dir/index"
}
check "make messages lists the messages of all sources" of_make
short() { ! sed 's/^[^ ]*  //' "$dir/index" | awk 'length > 240' | grep .; }
check "no message takes more than three lines" short
finish
