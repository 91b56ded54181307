#include "sweep/cli/command_study.h"

int command_study_ended(const char *name, enum status s, const struct study_result *r,
                        const struct message *m)
{
    if (r->failed > 0)
        fprintf(stderr, "headcount %s: %d failed; the same command tries %s again\n", name,
                r->failed, r->failed == 1 ? "it" : "them");
    if (s == STATUS_OK)
        return r->failed > 0 ? EXIT_SOME_FAILED : EXIT_DONE;
    int exit_status = command_fail(name, s, m);
    if (s != STATUS_DISK_FULL)
        return exit_status;
    /* What was answered is in the file. */
    fprintf(stderr, "headcount %s: once there is room, the same command goes on\n", name);
    return EXIT_RESUMABLE;
}

int command_study(const char *name, const struct study_request *q, struct study_result *r)
{
    struct message m = {{0}};
    enum status s = study_ask(q, r, &m);
    return command_study_ended(name, s, r, &m);
}
