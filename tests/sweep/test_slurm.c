/* What is made of Slurm's words about an allocation, and sbatch as a script in PATH. */
#include <sys/stat.h>

#include "sweep/hosts/slurm.h"

#include "tests/own_folder.h"

static struct message m;

static void assert_specs(const char *names, const char *cpus, const char *expected)
{
    struct host_spec *list = NULL;
    int count = 0;
    char text[512] = "";
    assert_int_equal(slurm_specs(names, cpus, &list, &count, &m), STATUS_OK);
    for (int i = 0; i < count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s:%d", i ? "," : "",
                 list[i].name, list[i].slots);
    assert_string_equal(text, expected);
    free(list);
}

TEST(nodes_and_cpus_of_an_allocation_become_hosts)
{
    assert_specs("n1\n", "16", "n1:16");
    assert_specs("n1\nn2\nn3\n", "2(x3)", "n1:2,n2:2,n3:2");
    assert_specs("n1\nn2\na-3\nb.c", "2(x2),72,1", "n1:2,n2:2,a-3:72,b.c:1");
    assert_specs("n1\n", "1000000", "n1:4096");
}

/* What it has there bounds how many trials are begun on each node. */
TEST(each_node_has_the_memory_of_its_cpus)
{
    struct host_spec *list = NULL;
    int count = 0;
    setenv("SLURM_MEM_PER_CPU", "100", 1);
    assert_int_equal(slurm_specs("n1\nn2", "2,4", &list, &count, &m), STATUS_OK);
    unsetenv("SLURM_MEM_PER_CPU");
    assert_true(list[0].memory == 200 << 20);
    assert_true(list[1].memory == 400 << 20);
    free(list);
}

TEST(allocations_that_make_no_sense_are_refused)
{
    static const char *const cases[][3] = {
        {"", "2", "no nodes"},     {"n1\nn2\n", "2", "2 nodes"}, {"n1\n", "", "CPUs"},
        {"n1\n", "0", "CPUs"},     {"n1\n", "-3", "CPUs"},       {"n1\n", "two", "CPUs"},
        {"n1\n", "2(x0)", "CPUs"}, {"n1\n", "2(y3)", "CPUs"},    {"n1\n", "2 (x3)", "CPUs"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct host_spec *hosts = NULL;
        int n = 0;
        assert_int_equal(slurm_specs(cases[i][0], cases[i][1], &hosts, &n, &m), STATUS_BAD_INPUT);
        assert_non_null(strstr(m.text, cases[i][2]));
        assert_null(hosts);
    }
}

/* What fails says why. */
static void fails(enum status s, const char *why)
{
    assert_int_equal(s, STATUS_IO);
    if (!strstr(m.text, why))
        fail_msg("no '%s' in %s", why, m.text);
}

/* A program in PATH that is this script. */
static void install(const char *name, const char *script)
{
    char program[8192];
    int size = snprintf(program, sizeof program, "#!/bin/sh\n%s\n", script);
    name_file(name);
    unlink(path);
    write_file(name, program, (size_t)size);
    assert_int_equal(chmod(path, 0700), 0);
}

static void remove_program(const char *name)
{
    name_file(name);
    assert_int_equal(unlink(path), 0);
}

TEST(scontrol_names_the_nodes_of_an_allocation)
{
    struct host_spec *list = NULL;
    int count = 0;
    unsetenv("SLURM_JOB_NODELIST");
    setenv("SLURM_JOB_CPUS_PER_NODE", "2(x2)", 1);
    assert_int_equal(slurm_hosts(&list, &count, &m), STATUS_BAD_INPUT);
    assert_non_null(strstr(m.text, "sbatch or salloc"));
    setenv("SLURM_JOB_NODELIST", "$(touch hacked)n[1-2]", 1);
    install("scontrol",
            "[ \"$*\" = 'show hostnames $(touch hacked)n[1-2]' ] && printf 'n1\\nn2\\n'");
    assert_int_equal(slurm_hosts(&list, &count, &m), STATUS_OK);
    assert_int_equal(count, 2);
    assert_string_equal(list[1].name, "n2");
    assert_int_equal(list[1].slots, 2);
    free(list);
    install("scontrol", "echo n1; exit 1");
    fails(slurm_hosts(&list, &count, &m), "scontrol does not name");
    remove_program("scontrol");
}

static enum status submit(char id[SLURM_ID], const char *script)
{
    char option[] = "--job-name=two words";
    char *options[] = {option, NULL};
    return slurm_submit(options, 1, script, strlen(script), NULL, id, &m);
}

static char first_id[SLURM_ID];

static void on_submitted(const char *id, void *context)
{
    snprintf(first_id, sizeof first_id, "%s", id);
    write_file(context, "", 0); /* for which sbatch waits */
}

static enum status wait_for(const char *answer, struct slurm_wait *wait)
{
    char script[1024], id[SLURM_ID] = "";
    char *options[] = {NULL};
    *wait = (struct slurm_wait){.submitted = on_submitted, .context = (void *)"told"};
    first_id[0] = '\0';
    snprintf(script, sizeof script, "[ \"$*\" = '--parsable --wait' ] || exit 99\n%s", answer);
    install("sbatch", script);
    enum status s = slurm_submit(options, 0, "x", 1, wait, id, &m);
    if (s == STATUS_OK)
        assert_string_equal(id, first_id);
    name_file("told");
    unlink(path);
    return s;
}

#define UNTIL_TOLD "until [ -e \"${0%/*}/told\" ]; do sleep .05; done\n"

TEST(waiting_for_a_job_tells_its_number_and_exit_status)
{
    struct slurm_wait wait;
    assert_int_equal(wait_for("echo 17\n" UNTIL_TOLD "exit 7", &wait), STATUS_OK);
    assert_string_equal(first_id, "17");
    assert_int_equal(wait.exit_status, 7);
    assert_int_equal(wait_for("echo '18;cluster'\n" UNTIL_TOLD, &wait), STATUS_OK);
    assert_string_equal(first_id, "18");
    assert_int_equal(wait.exit_status, 0);
    fails(wait_for("exit 1", &wait), "refused");
    assert_string_equal(first_id, "");
    fails(wait_for("echo 'sbatch: what?'", &wait), "no number");
    fails(wait_for("echo 19\n" UNTIL_TOLD "kill -KILL $$", &wait),
          "job 19 was submitted, and sbatch was killed");
    remove_program("sbatch");
}

TEST(a_submitted_job_is_known_by_its_number)
{
    char id[SLURM_ID] = "";
    static char script[100001];
    memset(script, 'x', sizeof script - 1);
    install("sbatch", "[ \"$1|$2|$#\" = '--parsable|--job-name=two words|2' ] || exit 2\n"
                      "[ $(wc -c) = 100000 ] || exit 3\necho '17;cluster'");
    assert_int_equal(submit(id, script), STATUS_OK);
    assert_string_equal(id, "17");
    install("sbatch", "echo 18; exit 1");
    fails(submit(id, script), "refused");
    install("sbatch", "kill -KILL $$");
    assert_int_equal(submit(id, script), STATUS_IO);
    install("sbatch", "echo 'Submitted batch job 17'");
    fails(submit(id, script), "no number");
    install("sbatch", "head -c 100000 /dev/zero | tr '\\0' 1");
    assert_int_equal(submit(id, script), STATUS_OK);
    assert_int_equal(strlen(id), SLURM_ID - 1);
    remove_program("sbatch");
    setenv("PATH", folder, 1);
    fails(submit(id, script), "no sbatch in PATH");
}

/* ---- the jobs of a results file ---- */

static struct slurm_job *list;
static int count;

static enum status jobs(const char *db)
{
    free(list);
    return slurm_jobs(db, &list, &count, &m);
}

/* squeue prints this, which printf reads. */
static void queue(const char *said)
{
    char script[4096];
    snprintf(script, sizeof script, "printf '%%b' '%s'", said);
    install("squeue", script);
}

static void assert_jobs(const char *db, const char *expected)
{
    char text[512] = "";
    assert_int_equal(jobs(db), STATUS_OK);
    for (int i = 0; i < count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s:%ld:%ld:%s:%s:%s",
                 i ? "," : "", list[i].id, list[i].job, list[i].task, list[i].state, list[i].reason,
                 list[i].name);
    assert_string_equal(text, expected);
}

TEST(jobs_in_the_queue_are_found_by_their_results_file)
{
    queue("17|17|N/A|RUNNING|None|quick|headcount /r/x.db\\n"
          "18|18|N/A|RUNNING|None|quick|headcount /r/x.db2\\n"
          "19|19|N/A|RUNNING|None|quick|\\n"
          "20_2|20|2|PENDING|Dependency|a|b|headcount /r/x.db\\n"
          "21|21|N/A|PENDING|Priority|quick|headcount headcount /r/x.db\\n"
          "CLUSTER: bed\\n|||||headcount /r/x.db\\n||||||headcount /r/x.db\\n|headcount /r/x.db\\n"
          "headcount /r/x.db\\n22|22|N/A|RUNNING|None|last|headcount /r/x.db");
    assert_jobs("/r/x.db", "17:17:0:RUNNING:None:quick,20_2:20:2:PENDING:Dependency:a|b,"
                           "22:22:0:RUNNING:None:last");
    assert_jobs("/r/other.db", "");
    queue(
        "20_2|20|2|PENDING|Dependency|a|headcount /r/x.db (12 shards)\\n"
        "21_2|21|2|PENDING|Dependency|a|headcount /r/y.db (12 shards)\\n"
        "22_2|22|2|PENDING|Dependency|a|headcount /r/x.db (12x shards)\\n (3 shards)\\n3 shards)");
    assert_jobs("/r/x.db", "20_2:20:2:PENDING:Dependency:a");
    assert_int_equal(list[0].shards, 12);
    queue("17|17|N/A|RUNNING|None|quick|headcount /r/it\\047s a|b \"c\" $(touch hacked).db\\n");
    assert_jobs("/r/it's a|b \"c\" $(touch hacked).db", "17:17:0:RUNNING:None:quick");
    queue("");
    assert_jobs("/r/x.db", "");
    install("squeue", "[ \"$*\" = '-h -r -o %i|%F|%K|%T|%r|%j|%k' ] && ! env | grep SQUEUE_");
    setenv("SQUEUE_STATES", "PENDING", 1);
    assert_jobs("/r/x.db", "");
    unsetenv("SQUEUE_STATES");
    install("squeue", "i=0; while [ $((i += 1)) -le 5000 ]; do\n"
                      "echo \"$i|$i|N/A|PENDING|Resources|quick|headcount /r/x.db\"; done");
    assert_int_equal(jobs("/r/x.db"), STATUS_OK);
    assert_int_equal(count, 5000);
    assert_string_equal(list[4999].id, "5000");
    remove_program("squeue");
}

TEST(a_queue_without_an_answer_is_an_error)
{
    bool answered;
    char *before = strdup(getenv("PATH"));
    install("squeue", "echo '17|17|N/A|RUNNING|None|quick|headcount /r/x.db'; exit 1");
    fails(jobs("/r/x.db"), "squeue does not tell");
    assert_int_equal(count, 0);
    assert_null(list);
    install("squeue", "echo 17; kill -STOP $$");
    fails(jobs("/r/x.db"), "squeue gave no answer within 10 s");
    assert_int_equal(slurm_jobs_within("/r/x.db", 100, &list, &count, &answered, &m), STATUS_IO);
    assert_false(answered);
    install("squeue", "");
    assert_int_equal(slurm_jobs_within("/r/x.db", 60000, &list, &count, &answered, &m), STATUS_OK);
    assert_true(answered);
    remove_program("squeue");
    setenv("PATH", folder, 1);
    assert_jobs("/r/x.db", "");
    assert_int_equal(slurm_jobs_within("/r/x.db", 100, &list, &count, &answered, &m), STATUS_OK);
    assert_false(answered);
    setenv("PATH", before, 1);
    free(before);
}

static void assert_comment(const char *db, const char *expected)
{
    char *comment = slurm_comment(db);
    assert_non_null(comment);
    assert_string_equal(comment, expected);
    free(comment);
}

TEST(a_comment_names_the_results_file_by_its_full_path)
{
    static char name[2000];
    char other[300], expected[512], cwd[256];
    assert_comment("/r/x.db", "headcount /r/x.db");
    char *of_array = slurm_array_comment("/r/x.db", 20);
    assert_string_equal(of_array, "headcount /r/x.db (20 shards)");
    free(of_array);
    assert_comment("/r/a|b 'c'\n.db", "headcount /r/a|b 'c'?.db");
    name_file("x.db");
    snprintf(other, sizeof other, "%s/y.db", folder);
    snprintf(expected, sizeof expected, "headcount %s", path);
    assert_comment(path, expected);
    assert_int_equal(symlink(path, other), 0);
    fclose(fopen(path, "w"));
    assert_comment(path, expected); /* the same when it is there */
    assert_comment(other, expected);
    unlink(path);
    unlink(other);
    assert_non_null(getcwd(cwd, sizeof cwd));
    snprintf(expected, sizeof expected, "headcount %s/no/such/x.db", cwd);
    assert_comment("no/such/x.db", expected);
    snprintf(expected, sizeof expected, "headcount %s/x no.db", cwd);
    assert_comment("x no.db", expected);
    memset(name, 'a', sizeof name - 1);
    name[0] = '/';
    char *comment = slurm_comment(name);
    assert_in_range(strlen(comment), 900, 1000);
    free(comment);
}

TEST(squeue_tells_whether_the_allocation_is_there)
{
    static const struct {
        const char *squeue;
        enum slurm_allocation answer;
    } is[] = {
        {"echo RUNNING", SLURM_THERE},
        {"echo SUSPENDED", SLURM_THERE},
        {"echo 'squeue: a warning' >&2; echo RUNNING", SLURM_THERE},
        {"echo COMPLETING", SLURM_GONE},
        {"echo CANCELLED", SLURM_GONE},
        {"echo TIMEOUT", SLURM_GONE},
        {"echo PENDING", SLURM_GONE},
        {":", SLURM_GONE},
        {"echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1", SLURM_GONE},
        {"echo 'slurm_load_jobs error: Unable to contact slurm controller' >&2; exit 1",
         SLURM_NO_ANSWER},
        {"exit 1", SLURM_NO_ANSWER},
        {"kill -KILL $$", SLURM_NO_ANSWER},
        {"[ \"$*$SQUEUE_STATES\" = '-h -j 17 -o %T' ] && echo RUNNING", SLURM_THERE},
    };
    setenv("SLURM_JOB_ID", "17", 1);
    setenv("SQUEUE_STATES", "PENDING", 1);
    for (size_t i = 0; i < sizeof is / sizeof *is; i++) {
        install("squeue", is[i].squeue);
        if (slurm_allocation() != is[i].answer)
            fail_msg("%s: %d", is[i].squeue, (int)is[i].answer);
    }
    unsetenv("SLURM_JOB_ID");
    assert_int_equal(slurm_allocation(), SLURM_NO_ANSWER);
    remove_program("squeue");
}

static int set_up(void **state)
{
    char programs[300];
    int made = make_folder(state);
    snprintf(programs, sizeof programs, "%s:/usr/bin:/bin", folder);
    return made || setenv("PATH", programs, 1);
}

static int tear_down(void **state)
{
    free(list);
    return remove_folder(state);
}
GROUP(set_up, tear_down)
