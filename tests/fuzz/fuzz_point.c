/* Any bytes are either refused with a message, or the canonical JSON of a point: what is written
 * for it is the same bytes. */
#include <stdlib.h>
#include <string.h>

#include "sweep/plan/point.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void promise(int kept)
{
    if (!kept)
        abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static struct point p;
    char *json = calloc(1, size + 1), again[POINT_JSON_MAX];
    if (!json)
        return 0;
    memcpy(json, data, size);
    struct message m = {{0}};
    enum status s = point_parse(json, &p, &m);
    if (s) {
        promise(s == STATUS_BAD_INPUT && *m.text);
    } else {
        promise(point_json(&p, again) == (int)strlen(json));
        promise(strcmp(again, json) == 0);
    }
    free(json);
    return 0;
}
