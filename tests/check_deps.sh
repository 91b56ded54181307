#!/bin/sh
# usage: check_deps.sh LIBENGINE   The order of the house, as a check: an include leads to the file's
# own floor or to one below it, so no two folders ever need each other.
bad=0
refuse() { # what is wrong, lines that show it
    [ -z "$2" ] && return
    echo "check-deps: $1:" >&2
    echo "$2" | sed 's/^/    /' >&2
    bad=1
}
includes() { grep -rnE '^ *#include "' engine datasets sweep; }

# From the ground up. A file belongs to the longest name that its path begins with.
floors='engine/base engine/kernels engine/ops engine engine/measures datasets
        sweep/plan sweep/judge sweep/db sweep/trials sweep/evidence sweep/merge sweep/worker sweep/hosts
        sweep/run sweep/study sweep/report sweep/export sweep/page sweep/serve sweep/ask sweep/cli'

refuse "an include leads up the house ($(echo $floors | sed 's/ / < /g'))" "$(includes | awk -v floors="$floors" '
    BEGIN { n = split(floors, floor, /[ \n]+/) }
    function height(path,    i, best) {
        for (i = 1; i <= n; i++)
            if (index(path, floor[i] "/") == 1 && length(floor[i]) > length(floor[best]))
                best = i
        return best + 0
    }
    {
        split($0, part, ":"); split($0, quoted, "\"")
        from = height(part[1]); to = height(quoted[2])
        if (quoted[2] !~ /^(schema|views|build_id|[a-z]+_(parts|sql|checks)|page_(html|css|js|live_js))\.h$/ && (!from || !to || to > from))
            print
    }')"
refuse "datasets include more than engine/base" \
    "$(includes | grep '^datasets/' | grep -vE '"(engine/base/[a-z_0-9]*\.h|datasets/[a-z_0-9]*\.(h|def))"')"
refuse "a folder or file that has no floor" \
    "$(find engine datasets sweep -name '*.[ch]' | grep -vE "^($(echo $floors | tr ' ' '|'))/[a-z_0-9]*\.[ch]$")"
refuse "<cblas.h> outside engine/kernels/blas.c" \
    "$(grep -rnE '#include <cblas\.h>' engine datasets sweep | grep -v '^engine/kernels/blas\.c:')"
refuse "<yaml.h> outside sweep/plan" "$(grep -rnE '#include <yaml\.h>' engine datasets sweep | grep -v '^sweep/plan/')"
refuse "<sqlite3.h> outside sweep/db" \
    "$(grep -rnE '#include <sqlite3\.h>' engine datasets sweep | grep -v '^sweep/db/')"
refuse "<microhttpd.h> outside sweep/serve" \
    "$(grep -rnE '#include <microhttpd\.h>' engine datasets sweep | grep -v '^sweep/serve/httpd\.h:')"
refuse "<zlib.h> outside sweep/page" "$(grep -rnE '#include <zlib\.h>' engine datasets sweep | grep -v '^sweep/page/')"
refuse "store_internal.h outside sweep/db, sweep/trials and sweep/merge" \
    "$(includes | grep 'store_internal\.h"' | grep -vE '^sweep/(db|trials|merge)/')"
refuse "libengine.a needs libyaml or SQLite" "$(nm -u "$1" 2>/dev/null | grep -E ' U (yaml_|sqlite3_)')"
exit $bad
