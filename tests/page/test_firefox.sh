#!/bin/sh
# The page in Debian's Firefox, driven by tests/page/firefox.py; skipped where it is not installed. Else as test_page.sh.
. tests/tap.sh
settle

command -v firefox-esr >/dev/null || skip_all "a page works in Firefox" firefox-esr
"$headcount" run configs/quick.yaml --db one.db --quiet --set seeds=2 >said 2>&1 || trouble "$(cat said)"
"$headcount" report --db one.db --html one.html >said 2>&1 || trouble "$(cat said)"
verdict "the sweep to look at has its page"
python3 "$root/tests/page/firefox.py" "$cases" one
