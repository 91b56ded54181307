# A file for `task.mode: classify` whose truth is known: the label of a row is the letters that stand at `places` of
# its sixteen positions, in their order, so that it takes just so many looks to tell it. The rest is noise.
#
#   awk -v places=2 -f results/reference/places.awk >places-2.csv
#
# The same file on every machine: two generators, combined as in L'Ecuyer 1988. POSIX awk.
function below(n) {
    one = one * 40014 % 2147483563
    two = two * 40692 % 2147483399
    return (one - two + 2147483398) % 2147483562 % n
}
BEGIN {
    one = 2026 + places
    two = 1122
    split("4 11 7 14", place, " ")
    print "text,label"
    for (row = 0; row < 16384; row++) {
        text = "?"
        for (i = 2; i <= 16; i++)
            text = text (below(2) ? "a" : "b")
        label = ""
        for (i = 1; i <= places; i++)
            label = label substr(text, place[i], 1)
        print text "," label
    }
}
