/* The program: finds the sub-command and turns its outcome into an exit status. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "engine/base/option.h"
#include "engine/base/text.h"
#include "engine/kernels/kernels.h"
#include "sweep/cli/command.h"
#include "sweep/hosts/agent.h"
#include "sweep/study/study_job.h"
#include "sweep/worker/build_info.h"
#include "sweep/worker/worker.h"
#include "sweep/worker/worker_ends.h"

/* A database opened while stdout is closed would become descriptor 1, and the first line printed
 * would end up in it. What is closed is opened so that using it fails or does nothing. */
static void hold_standard_descriptors(void)
{
    static const int mode[3] = {O_WRONLY, O_RDONLY, O_RDWR};
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF)
            (void)!open("/dev/null", mode[fd]); /* the lowest free one, which is fd */
}

/* No function here takes more than 136 KiB of stack (the Makefile sees to it), SQLite and the C
 * library little; a stack that ends sooner is a fault that no handler could speak of. */
enum { STACK_MIN_KIB = 512 };

static bool has_stack(void)
{
    struct rlimit stack;
    if (getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur >= (rlim_t)STACK_MIN_KIB << 10)
        return true;
    fprintf(stderr,
            "headcount: the stack is limited to %lu KiB, and %d are needed; raise the limit "
            "(`ulimit -s %d`)\n",
            (unsigned long)(stack.rlim_cur >> 10), STACK_MIN_KIB, STACK_MIN_KIB);
    return false;
}

static void on_cpu_limit(int signal_number)
{
    static const char text[] = "headcount: the CPU time that `ulimit -t` allows is used up\n";
    (void)signal_number;
    (void)!write(STDERR_FILENO, text, sizeof text - 1);
    _exit(EXIT_SYSTEM);
}

/* At the hard limit the kernel kills without a word, and `ulimit -t` sets both: the soft one is
 * moved down, to have time for one. */
static void heed_cpu_limit(void)
{
    struct rlimit cpu;
    signal(SIGXCPU, on_cpu_limit);
    if (getrlimit(RLIMIT_CPU, &cpu) != 0 || cpu.rlim_max == RLIM_INFINITY ||
        cpu.rlim_cur < cpu.rlim_max || cpu.rlim_max < 2)
        return;
    cpu.rlim_cur = cpu.rlim_max - 1 - cpu.rlim_max / 20;
    setrlimit(RLIMIT_CPU, &cpu);
}

static void print_help(void)
{
    printf("Usage: headcount COMMAND [arguments]\n"
           "\n"
           "How many attention heads should this transformer have? Trains small transformer\n"
           "encoders over a YAML grid, several at a time, writes every result to one SQLite\n"
           "file, resumes where it stopped, and answers with confidence intervals.\n"
           "\n"
           "Commands:\n");
    for (const struct command *c = command_table; c->name; c++)
        printf("  %-36s %s\n", c->usage, c->summary);
    printf("\n"
           "  headcount COMMAND --help             what a command takes, with examples\n"
           "  headcount help terms                 what trial, setting, rung and the like mean\n"
           "  headcount --version                  this build\n"
           "\n"
           "Exit status: 0 all done; 1 some trials failed or diverged; 2 wrong usage or a bad\n"
           "file; 3 storage, input/output or internal error; 4 another run is at work on the\n"
           "results file; 75 stopped, the same command resumes it; 130 or 143 at a second\n"
           "signal.\n");
    command_print_examples("  headcount plan configs/gather.yaml\n"
                           "  headcount tasks gather\n");
}

/* `headcount help terms` */
static void print_terms(void)
{
    enum { INDENT = 4, WIDTH = 80 };
#define TERM(name, meaning)                                                                        \
    printf("%s\n", name);                                                                          \
    text_paragraph(stdout, meaning, INDENT, INDENT, WIDTH);
#include "sweep/cli/terms.def"
#undef TERM
}

static void print_version(void)
{
    struct build_info b;
    struct message m;
    enum status blas = build_info(&b, &m);
    printf("headcount %s\n", b.version);
    printf("commit      %s\n", b.commit);
    printf("sources     %s\n", build_sources());
    printf("compiler    %s\n", b.compiler);
    printf("flags       %s\n", b.flags);
    if (blas == STATUS_OK)
        printf("OpenBLAS    %s, core type %s\n", b.openblas, b.core_type);
    else
        printf("OpenBLAS    %s\n", m.text);
    printf("kernels     %s\n", b.kernels);
    printf("CPU         %s\n", b.cpu);
}

static int unknown_command(const char *typed)
{
    const char *names[64];
    int n = 0;
    for (const struct command *c = command_table; c->name && n < 62; c++)
        names[n++] = c->name;
    names[n++] = "help";
    names[n] = NULL;
    static const char *const others[][2] = {{"ls", "show"}, {"list", "show"}, {"resume", "run"}};
    const char *near = nearest_name(typed, names);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(typed, others[i][0]) == 0)
            near = others[i][1];
    text_print(stderr, "headcount: unknown command '%s'", typed);
    if (near)
        fprintf(stderr, "; did you mean '%s'?", near);
    fprintf(stderr, "\nTry 'headcount --help'.\n");
    return EXIT_USAGE;
}

/* argv[0] is an option where a command belongs. */
static int unknown_option(int argc, char **argv)
{
    static const char *const names[] = {"--help", "--version", NULL};
    const char *near = nearest_name(argv[0], names);
    int command = 1;
    while (command < argc && !command_find(argv[command]))
        command++;
    if (near) {
        text_print(stderr, "headcount: unknown option '%s'; did you mean '%s'?", argv[0], near);
    } else if (command < argc) {
        fprintf(stderr, "headcount: options follow the command: headcount %s", argv[command]);
        for (int i = 0; i < argc; i++) {
            if (i == command)
                continue;
            fputc(' ', stderr);
            text_plain(stderr, argv[i]);
        }
    } else {
        text_print(stderr, "headcount: unknown option '%s'; options of a command follow it",
                   argv[0]);
    }
    fprintf(stderr, "\nTry 'headcount --help'.\n");
    return EXIT_USAGE;
}

/* argv[0] is the sub-command. */
static int dispatch(int argc, char **argv)
{
    const struct command *c = command_find(argv[0]);
    if (c)
        return c->main(argc, argv);
    return argv[0][0] == '-' ? unknown_option(argc, argv) : unknown_command(argv[0]);
}

static int command_line(int argc, char **argv)
{
    if (argc < 2) { /* on stdout, as git and cargo do; as git, no success: nothing was done */
        print_help();
        return EXIT_USAGE;
    }
    const char *first = argv[1];
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0 ||
        (strcmp(first, "help") == 0 && argc == 2)) {
        print_help();
        return EXIT_DONE;
    }
    if (strcmp(first, "--version") == 0 || strcmp(first, "-V") == 0) {
        print_version();
        return EXIT_DONE;
    }
    if (strcmp(first, "complete") == 0)
        return command_complete(argc - 1, argv + 1);
    if (strcmp(first, "help") == 0 && strcmp(argv[2], "terms") == 0) {
        print_terms();
        return EXIT_DONE;
    }
    if (strcmp(first, "help") == 0) {
        char help[] = "--help";
        char *swapped[] = {argv[2], help, NULL};
        return dispatch(2, swapped);
    }
    return dispatch(argc - 1, argv + 1);
}

/* Kernels differ in the last bits of results, so a misspelt wish must not pass for the default. */
static bool kernels_are_there(void)
{
    const char *wanted = getenv("HEADCOUNT_KERNELS");
    const struct kernels *k;
    if (!wanted || !*wanted)
        return true;
    for (int i = 0; (k = kernels_available(i)); i++)
        if (strcmp(k->name, wanted) == 0)
            return true;
    fprintf(stderr, "headcount: HEADCOUNT_KERNELS is '");
    text_plain(stderr, wanted);
    fprintf(stderr, "'; allowed on this CPU:");
    for (int i = 0; (k = kernels_available(i)); i++)
        fprintf(stderr, "%s %s", i ? "," : "", k->name);
    fprintf(stderr, "\n");
    return false;
}

/* Data that did not arrive is a failure, whatever the command thought. */
static int check_stdout(int exit_status)
{
    struct message m;
    if (text_check(stdout, &m) == STATUS_OK || exit_status == EXIT_USAGE ||
        exit_status == EXIT_BUSY)
        return exit_status;
    if (exit_status != EXIT_SYSTEM)
        fprintf(stderr, "headcount: %s\n", m.text);
    return EXIT_SYSTEM;
}

static int be_worker(void)
{
    static char job[WIRE_JOB_MAX];
    struct message m;
    worker_begin();
    if (worker_read_job(job, sizeof job, &m) == STATUS_OK)
        return study_job_is(job) ? study_worker(job) : worker_train(job);
    fprintf(stderr, "%s\n", m.text);
    return WORKER_FAILED;
}

int main(int argc, char **argv)
{
    hold_standard_descriptors();
    signal(SIGXFSZ, SIG_IGN); /* `ulimit -f`: an error of the write */
    if (!has_stack())
        return EXIT_SYSTEM;
    heed_cpu_limit();
    /* Workers are this program too; they speak over descriptors of their own. */
    if (argc == 2 && strcmp(argv[1], "worker") == 0)
        return be_worker();
    if (argc == 2 && strcmp(argv[1], AGENT_HERE) == 0)
        return agent_here();
    if (argc > 1 && strcmp(argv[1], COMMAND_RUN_SERVER) == 0)
        return command_run_server(argc, argv);
    signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error of the write, see check_stdout */
    return kernels_are_there() ? check_stdout(command_line(argc, argv)) : EXIT_USAGE;
}
