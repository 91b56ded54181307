#include "sweep/cli/command_prune.h"

#include <math.h>

#include "engine/base/number.h"

bool command_prune_read(const char *name, const struct prune_words *w, struct prune_options *o,
                        int *exit_status)
{
    struct message m;
    bool integral;
    *o = (struct prune_options){.lr = NAN, .finetune = w->finetune};
    if (w->by && !prune_by_find(w->by, &o->by))
        *exit_status =
            command_usage(name, "--by is '%s'; allowed: importance, ablation, random", w->by);
    else if (w->keep && prune_keep_parse(w->keep, o, &m) != STATUS_OK)
        *exit_status = command_usage(name, "%s", m.text);
    else if (w->lr && (!number_parse(w->lr, &o->lr, &integral) || !((float)o->lr > 0)))
        *exit_status = command_usage(name, "--lr is '%s'; it must be a number above 0", w->lr);
    else if (w->lr && w->finetune == 0)
        *exit_status = command_usage(name, "--lr needs --finetune STEPS; give it too");
    else
        return true;
    return false;
}
