/* headcount serve: the page of results files, live, for browsers. */
#include <poll.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "sweep/cli/command.h"
#include "sweep/worker/stop.h"

struct serve_values {
    struct command_texts db;
    const char *listen, *token_file, *port;
};

static const struct command_option options[] = {
    {"port", 'p', COMMAND_TEXT, offsetof(struct serve_values, port), "N",
     "listen at this port (8080, or one of the next nine that is free); 0: any"},
    {"listen", 0, COMMAND_TEXT, offsetof(struct serve_values, listen), "ADDR",
     "let others come: listen at this address or name of this machine, 0.0.0.0 for all; a token is "
     "then needed"},
    {"token-file", 0, COMMAND_TEXT, offsetof(struct serve_values, token_file), "FILE",
     "the token, one line that nobody else can read; without, one is made and printed"},
    {"db", 0, COMMAND_TEXTS, offsetof(struct serve_values, db), "FILE",
     "results file (" COMMAND_DB "); may be given several times"},
    {NULL, 0, COMMAND_FLAG, 0, NULL, NULL},
};

static const struct command_syntax syntax = {
    .name = "serve",
    .details =
        "What report --html writes, as a page that goes on as the sweep does: of all sweeps of a "
        "file,\nwhile they run and afterwards. Ctrl-C ends it. It writes nothing, and answers "
        "this machine\nonly, unless --listen says otherwise. From elsewhere, through ssh:\n"
        "  ssh -L 8080:localhost:8080 HOST headcount serve\n",
    .options = options,
    .examples = "  headcount serve\n"
                "  headcount serve --db results/headcount.db --port 9000\n",
};

/* ---- what serve and run --serve have in common ---- */

bool command_serve_port(const char *text, struct serve_options *o)
{
    o->port = SERVE_PORT;
    o->next_port = text == NULL;
    if (!text)
        return true;
    o->port = 0;
    for (const char *c = text; *c; c++) {
        if (*c < '0' || *c > '9' || o->port > COMMAND_PORT_MAX)
            return false;
        o->port = o->port * 10 + (*c - '0');
    }
    return *text && o->port <= COMMAND_PORT_MAX;
}

/* Each connection is an open file. */
static void allow_files(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) != 0)
        return;
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
}

enum status command_serve_start(const struct serve_options *o, struct server **s, struct message *m)
{
    enum { NICE = 10 };
    allow_files();
    setpriority(PRIO_PROCESS, 0, NICE); /* the threads inherit it; refused: as it is */
    return serve_start(o, s, m);
}

/* ---- the command ---- */

/* Ends at a signal, and when whoever reads the output has gone. */
static void wait_for_end(void)
{
    struct pollfd awaited[] = {{.fd = stop_wake_fd(), .events = POLLIN}, {.fd = STDOUT_FILENO}};
    while (stop_requests() == 0 && !(awaited[1].revents & (POLLERR | POLLHUP))) {
        poll(awaited, 2, -1);
        stop_drain();
    }
}

static void say_files(const struct command_texts *db)
{
    printf("serving");
    for (int i = 0; i < db->count; i++) {
        fputs(i ? ", " : " ", stdout);
        text_plain(stdout, file_last_name(db->item[i]));
    }
}

static enum status serve(const struct serve_options *o, const struct command_texts *db,
                         struct message *m)
{
    struct server *s;
    enum status status = stop_install(m);
    if (status != STATUS_OK)
        return status;
    status = command_serve_start(o, &s, m);
    if (status == STATUS_OK) {
        say_files(db);
        printf(" at %s (Ctrl-C ends it)\n", serve_address(s));
        fflush(stdout);
        wait_for_end();
        /* A thread that is still computing only reads; nothing is lost with it. */
        if (!serve_stop(s) && fflush(stdout) == 0)
            _exit(EXIT_DONE);
    }
    stop_restore();
    return status;
}

int command_serve(int argc, char **argv)
{
    struct serve_values v = {.db = {.count = 0}};
    struct message m = {{0}};
    int arguments, exit_status;
    if (!command_parse(&syntax, argc, argv, &v, &arguments, &exit_status))
        return exit_status;
    if (v.db.count == 0)
        v.db.item[v.db.count++] = COMMAND_DB;
    struct serve_options o = {.files = v.db.item,
                              .count = v.db.count,
                              .listen = v.listen,
                              .token_file = v.token_file,
                              .port_option = "--port"};
    if (!command_serve_port(v.port, &o))
        return command_usage("serve", "--port is '%s'; allowed: a whole number from 0 to %d",
                             v.port, COMMAND_PORT_MAX);
    enum status status = serve(&o, &v.db, &m);
    return status == STATUS_OK ? EXIT_DONE : command_fail("serve", status, &m);
}
