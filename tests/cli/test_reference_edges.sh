#!/bin/sh
# No head count of results/reference that a finding or its claim names has a choice at the edge of its grid,
# unless the finding says so. Speaks TAP; run from the repository's root.
. tests/tap.sh
not_sanitized "findings tell of each choice at the edge of a grid"
kept=results/reference

# Choices at an edge: "setting_label|heads".
edges() { # name
    sqlite3 :memory: ".import --csv '$kept/$1.chosen.csv' chosen" \
        "SELECT setting_label, heads FROM chosen WHERE edge <> ''"
}
# Of each setting its finding: "setting_label|text", the last bold paragraph before the list.
findings() { # name
    sed 's/\\//g' "$kept/$1.md" | awk '
        function tell() { if (finding != "") print label "|" finding; finding = "" }
        /^## / { tell(); label = substr($0, 4) }
        /^\*\*/ { finding = $0 }
        END { tell() }'
}
edge_told="[0-9, and]+ heads? ((chose the (smallest|largest) [^ ]+ tried,)|((was|were) given no [^ ]+ but)) [^ ]+"
# Head counts at an edge that a finding or the claim names and of which it does not say so.
untold() { # name
    edges "$1" >"$dir/edges" || { echo "the edges of $1 are not known"; return; }
    findings "$1" >"$dir/findings"
    claim=$(sed -n 's/^claim: //p' "configs/$1.yaml" | tr -c '0-9\n' ' ')
    awk -F'|' -v claim="$claim" -v edge_told="$edge_told" '
        function numbers(text, list,    n, part, i) {
            gsub(/[^0-9.]+/, " ", text)
            n = split(text, part, " ")
            for (i = 1; i <= n; i++)
                if (part[i] ~ /^[0-9]+\.?$/)
                    list[part[i] + 0] = 1
        }
        FNR == NR { edge[$1, $2] = 1; next }
        $2 ~ /^\*\*All equal/ { next }
        {
            split("", named); split("", told)
            text = $2
            while (match(text, edge_told)) {
                part = substr(text, RSTART, RLENGTH)
                text = substr(text, 1, RSTART - 1) substr(text, RSTART + RLENGTH)
                sub(/ head.*/, "", part)
                numbers(part, told)
            }
            sub(/, (within|each head count|on this|over) .*/, "", text)
            gsub(/\((difference|the fewest heads|test accuracy|test loss|[-+.0-9]+, )[^)]*\)/, "", text)
            numbers(text, named)
            if (text ~ /^\*\*Claim/)
                numbers(claim, named)
            for (heads in named)
                if (($1, heads) in edge && !(heads in told))
                    printf "%s: %s heads\n", $1 == "" ? "the setting" : $1, heads
        }' "$dir/edges" "$dir/findings"
}

# ---- what it would see ----
real=$kept
kept=$dir/kept
mkdir "$kept" "$dir/configs"
cat >"$kept/toy.chosen.csv" <<'C'
setting_label,heads,tuning,score,tried,edge
slots=1,1,"{""train.lr"":0.1}",.5,0.01 0.1,largest
slots=1,2,"{""train.lr"":0.01}",1,0.01 0.1,
slots=1,4,"{""train.lr"":0.01}",.5,0.01,only
slots=2,4,"{""train.lr"":0.1}",.5,0.01 0.1,largest
C
tells() { # what is untold, what the finding of slots=1 says, words before "heads" and a claim
    printf '## slots=1\n\n**Plateau: 1 head.**\n\n**%s**\n\n- 4 heads.\n\n' "$2" >"$kept/toy.md"
    printf '## slots=2\n\n**All equal: 4 heads.**\n' >>"$kept/toy.md"
    printf '# A toy\n%s\n' "${3:-}" >"$dir/configs/toy.yaml"
    (cd "$dir" && untold toy | sort | tr '\n' ' ') >"$dir/untold"
    [ "$(cat "$dir/untold")" = "$1" ] || { cat "$dir/untold"; false; }
}
scope=", within 9 steps, each head count at its own best of lr 0.01 and 0.1, on this task instance"
check "a rival at an edge would be seen" \
    tells 'slots=1: 1 heads slots=1: 4 heads ' "Claim confirmed: 2 heads are better than 1 and 4$scope."
check "... also where the finding tells of another one" tells 'slots=1: 4 heads ' \
    "Claim undecided: 2 heads did better than 1 and 4$scope, but 1 head chose the largest lr tried, 0.1, and may be."
check "choices at an edge that a finding tells of are passed" tells '' \
    "Claim undecided: 2 heads did better than 1 and 4$scope, but 1 head chose the largest lr tried, 0.1, and may be \
better beyond it; 4 heads were given no lr but 0.01, and may be better at another."
check "... also several at once" \
    tells '' "No middle head count wins: smallest (1), largest (4)$scope; 1 and 4 heads chose the largest lr tried, 4, and \
may be."
check "a head count that only the claim names would be seen" tells 'slots=1: 4 heads ' \
    "Claim not confirmed: 2 heads are not shown to be better than 2 (difference in test accuracy +4, p = 1) and 2 (-4, \
p = 1)$scope." \
    'claim: {best: 2, over: [2, 4]}'
check "numbers that are no head counts are passed over" \
    tells '' "No middle head count wins: 2 heads did best (the fewest heads within 0.005 of the top)$scope; 1 4."
kept=$real

# ---- results/reference ----
told() { # name
    untold "$1" >"$dir/untold"
    [ ! -s "$dir/untold" ] || { cat "$dir/untold"; false; }
}
for file in "$kept"/*.chosen.csv; do
    name=$(basename "$file" .chosen.csv)
    check "$name: findings tell of each choice at an edge that they name" told "$name"
done
finish
