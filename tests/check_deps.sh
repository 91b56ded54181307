#!/bin/sh
# usage: check_deps.sh LIBENGINE   The include arrows of the house, as a check.
bad=0
refuse() { # what is wrong, lines that show it
    [ -z "$2" ] && return
    echo "check-deps: $1:" >&2
    echo "$2" | sed 's/^/    /' >&2
    bad=1
}
refuse "engine includes datasets or sweep" \
    "$(grep -nE '#include "(datasets|sweep|tests)/' -r engine)"
refuse "datasets include more than the engine's leaf headers" \
    "$(grep -nE '#include "' -r datasets | grep -vE '"(engine/(rng|status|option)\.h|datasets/[a-z_0-9]*\.(h|def))"')"
refuse "an include that is not rooted" \
    "$(grep -nE '#include "' -r engine datasets sweep | grep -vE '"(engine|datasets|sweep)/|"(schema|build_id)\.h"')"
refuse "<cblas.h> outside engine/blas.c" "$(grep -nE '<cblas\.h>' -r engine datasets sweep | grep -v '^engine/blas\.[ch]:')"
refuse "<yaml.h> outside the sweep file's reader" "$(grep -lE '<yaml\.h>' -r engine datasets)"
refuse "<sqlite3.h> outside sweep" "$(grep -lE '<sqlite3\.h>' -r engine datasets)"
refuse "libengine.a needs libyaml or SQLite" "$(nm -u "$1" 2>/dev/null | grep -E ' U (yaml_|sqlite3_)')"
exit $bad
