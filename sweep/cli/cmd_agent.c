/* headcount agent: the end of `--launch` on another machine. */
#include "sweep/cli/command.h"
#include "sweep/hosts/agent.h"

#include <fcntl.h>
#include <unistd.h>

static const struct command_option no_options[] = {
    {NULL, 0, COMMAND_FLAG, 0, NULL, NULL},
};

static const struct command_syntax syntax = {
    .name = "agent",
    .details =
        "Started by `headcount run --launch` on each of its hosts, never by a person: it runs\n"
        "trials there and speaks with the coordinator over stdin and stdout. It ends when\n"
        "its stdin does; running trials save a checkpoint first.\n",
    .options = no_options,
    .examples = "  headcount agent </dev/null | head -n 16\n",
};

int command_agent(int argc, char **argv)
{
    struct message m = {{0}};
    int arguments, exit_status;
    if (!command_parse(&syntax, argc, argv, NULL, &arguments, &exit_status))
        return exit_status;
    if (isatty(STDIN_FILENO) || isatty(STDOUT_FILENO))
        return command_usage("agent", "is started by `headcount run --launch` and talks to that, "
                                      "not to a terminal; use `headcount run --launch`");
    /* What is printed by mistake must not get between the frames. */
    int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
    if (out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return command_usage("agent", "cannot use its stdout");
    enum status s = agent_run(STDIN_FILENO, out, &m);
    close(out);
    if (s == STATUS_OK)
        return EXIT_DONE;
    return s == STATUS_INTERRUPTED ? EXIT_RESUMABLE : command_fail("agent", s, &m);
}
