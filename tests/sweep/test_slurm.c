/* What is made of Slurm's words about an allocation, and sbatch as a script in PATH. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sweep/hosts/slurm.h"

static struct message m;
static char folder[] = "/tmp/headcount-slurm.XXXXXX";

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

static void an_allocation(void **state)
{
    (void)state;
    assert_specs("n1\n", "16", "n1:16");
    assert_specs("n1\nn2\nn3\n", "2(x3)", "n1:2,n2:2,n3:2");
    assert_specs("n1\nn2\na-3\nb.c", "2(x2),72,1", "n1:2,n2:2,a-3:72,b.c:1");
    assert_specs("n1\n", "1000000", "n1:4096");
}

static void refuse(const char *names, const char *cpus, const char *words)
{
    struct host_spec *list = NULL;
    int count = 0;
    assert_int_equal(slurm_specs(names, cpus, &list, &count, &m), STATUS_BAD_INPUT);
    assert_non_null(strstr(m.text, words));
    assert_null(list);
}

static void odd_allocations(void **state)
{
    (void)state;
    refuse("", "2", "no nodes");
    refuse("n1\nn2\n", "2", "2 nodes");
    refuse("n1\n", "", "CPUs");
    refuse("n1\n", "0", "CPUs");
    refuse("n1\n", "-3", "CPUs");
    refuse("n1\n", "two", "CPUs");
    refuse("n1\n", "2(x0)", "CPUs");
    refuse("n1\n", "2(y3)", "CPUs");
    refuse("n1\n", "2 (x3)", "CPUs");
}

/* A program in PATH that is this script. */
static void install(const char *name, const char *script)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "#!/bin/sh\n%s\n", script);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(path, 0700), 0);
}

static void remove_program(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(unlink(path), 0);
}

static void the_nodes_of_an_allocation(void **state)
{
    struct host_spec *list = NULL;
    int count = 0;
    (void)state;
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
    assert_int_equal(slurm_hosts(&list, &count, &m), STATUS_IO);
    assert_non_null(strstr(m.text, "scontrol does not name"));
    remove_program("scontrol");
}

static enum status submit(char id[SLURM_ID], const char *script)
{
    char option[] = "--job-name=two words";
    char *options[] = {option, NULL};
    return slurm_submit(options, 1, script, strlen(script), id, &m);
}

static void a_job(void **state)
{
    char id[SLURM_ID] = "";
    static char script[100001];
    (void)state;
    memset(script, 'x', sizeof script - 1);
    install("sbatch", "[ \"$1|$2|$#\" = '--parsable|--job-name=two words|2' ] || exit 2\n"
                      "[ $(wc -c) = 100000 ] || exit 3\necho '17;cluster'");
    assert_int_equal(submit(id, script), STATUS_OK);
    assert_string_equal(id, "17");
    install("sbatch", "echo 18; exit 1");
    assert_int_equal(submit(id, script), STATUS_IO);
    assert_non_null(strstr(m.text, "refused"));
    install("sbatch", "kill -KILL $$");
    assert_int_equal(submit(id, script), STATUS_IO);
    install("sbatch", "echo 'Submitted batch job 17'");
    assert_int_equal(submit(id, script), STATUS_IO);
    assert_non_null(strstr(m.text, "no number"));
    install("sbatch", "head -c 100000 /dev/zero | tr '\\0' 1");
    assert_int_equal(submit(id, script), STATUS_OK);
    assert_int_equal(strlen(id), SLURM_ID - 1);
    remove_program("sbatch");
    setenv("PATH", folder, 1);
    assert_int_equal(submit(id, script), STATUS_IO);
    assert_non_null(strstr(m.text, "no sbatch in PATH"));
}

static int set_up(void **state)
{
    char path[4096];
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s:/usr/bin:/bin", folder);
    return setenv("PATH", path, 1);
}

static int tear_down(void **state)
{
    (void)state;
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_allocation),
        cmocka_unit_test(odd_allocations),
        cmocka_unit_test(the_nodes_of_an_allocation),
        cmocka_unit_test(a_job),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
