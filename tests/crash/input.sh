# Sweep files that are wrong: status 2, the place, what is wrong; and nothing is written, not even a
# lock. tests/sweep_files and tests/sweep/test_point*.c have every message; this is the same
# through the program.
input=$dir/input
mkdir "$input"

# The file is on stdin as printf's format, so that any byte can be written.
refuse() { # name, pattern
    rm -rf "$input"/*
    { printf "$(cat)"; } >"$input/x.yaml"
    refuse_file "$1" "$2" "$input/x.yaml"
}
refuse_file() { # name, pattern, path
    listing=$(ls -A "$input")
    limited "$headcount" run "$3" --db "$input/x.db" --quiet
    code=$?
    status_in "$1" 2
    tells "$1" "$2"
    [ "$(ls -A "$input")" = "$listing" ] || trouble "$1: something was written: $(ls -A "$input")"
    refused=$((refused + 1))
}
refused=0
at='x\.yaml:[0-9]+:[0-9]+: '
good='task: {name: copy, length: 8, vocab: 4}\nmodel: {d_model: 16, heads: 2}\ntrain: {steps: 10}\n'

refuse "duplicate key" "${at}.*(twice|duplicate|again)" <<Y
${good}seeds: 1\nseeds: 2\n
Y
refuse "unknown key" "${at}.*sedes.*did you mean seeds" <<Y
${good}sedes: 1\n
Y
refuse "alias" "${at}.*(alias|anchor)" <<Y
${good}seeds: &a 1\nworkers: *a\n
Y
refuse "tag" "${at}.*tag" <<Y
${good}seeds: !!int 1\n
Y
refuse "tab" "${at}" <<Y
task:\n\tname: copy\n
Y
refuse "second document" "${at}.*document" <<Y
${good}---\nseeds: 1\n
Y
refuse "NUL" "${at}.*NUL" <<Y
${good}seeds: \\000 1\n
Y
refuse "UTF-16" "${at}.*UTF" <<Y
\\377\\376t\\000a\\000s\\000k\\000
Y
refuse "bad UTF-8" "${at}.*UTF-8" <<Y
${good}name: \\303\\050\n
Y
for value in 1e400 .nan .inf 08 no; do
    refuse "train.lr: $value" "${at}.*train\.lr" <<Y
task: {name: copy}\nmodel: {d_model: 16, heads: 2}\ntrain: {lr: $value}\n
Y
done
refuse "empty list" "${at}.*heads.*empty" <<Y
task: {name: copy}\nmodel: {d_model: 16, heads: []}\n
Y
refuse "empty file" "x\.yaml.*(empty|nothing)" <<Y
Y
refuse_file "a directory" "(folder|directory)" "$input"
refuse_file "a missing file" "(no such file|nowhere)" "$input/nowhere.yaml"
verdict "$refused broken sweep files are refused with place and reason, nothing is written"

refused=0
head -c 1000000 /dev/zero | tr '\0' '[' >"$input/x.yaml"
refuse_file "1 MB of [" "${at}.*(32|deep|depth|nested)" "$input/x.yaml"
yes '{a: ' | head -n 250000 | tr -d '\n' >"$input/x.yaml"
refuse_file "1 MB of {a: " "${at}.*(32|deep|depth|nested)" "$input/x.yaml"
yes '#' | head -c 1100000 >"$input/x.yaml"
refuse_file "more than 1 MiB" "x\.yaml.*(MiB|bytes)" "$input/x.yaml"
verdict "deep and long sweep files are refused"

refused=0
refuse "run_cap" "200000.*run_cap" <<Y
task: {name: copy}\nmodel: {d_model: 16, heads: [1, 2]}\ntrain:\n
  {steps: [$(seq -s , 1000)], batch: [$(seq -s , 100)]}\n
Y
for value in 0 -1 1.5 1000000000 3; do
    refuse "model.heads: $value" "heads.*$value" <<Y
task: {name: copy}\nmodel: {d_model: 16, heads: $value}\n
Y
done
for pair in task.vocab=1 task.length=0 task.length=-4 task.length=1000000000 train.lr=0 \
    train.lr=-1e-3 train.batch=0 train.steps=0 model.layers=0 model.d_model=0 model.dropout=1.5; do
    printf "$good" >"$input/x.yaml"
    limited "$headcount" run "$input/x.yaml" --db "$input/x.db" --set "$pair"
    code=$?
    status_in "$pair" 2
    tells "$pair" "${pair%%=*}.*allowed"
    [ "$(ls -A "$input")" = x.yaml ] || trouble "$pair: something was written"
    refused=$((refused + 1))
done
verdict "$refused sweeps of impossible size or values are refused: key, value, allowed range"
