/* Files of cases: what is given above, what comes of it below. CASES(folder, play) makes a test of
 * each: play copies the lines of a file to out, with what comes of them now. It must be what stands
 * there; BLESS=1 lets it stand there instead. */
#ifndef TESTS_SWEEP_CASE_HELP_H
#define TESTS_SWEEP_CASE_HELP_H

#include <glob.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/file.h"
#include "engine/base/text.h"

#include "tests/test.h"

typedef void case_player(const char *path, char *lines, FILE *out);

static inline void case_play(const char *path, case_player *play)
{
    struct text_buffer played = {0}, command = {0};
    void *lines;
    size_t size;
    assert_int_equal(file_read(path, 1 << 20, &lines, &size, NULL), STATUS_OK);
    FILE *out = text_stream(&played);
    assert_non_null(out);
    play(path, lines, out);
    fclose(out);
    text_add(&command, getenv("BLESS") ? "cat >%s" : "diff -u %s -", path);
    out = popen(command.text, "w");
    assert_non_null(out);
    fputs(played.text, out);
    assert_int_equal(pclose(out), 0);
    free(command.text);
    free(played.text);
    free(lines);
}

#define CASES(folder, play)                                                                        \
    static void play_file(void **state)                                                            \
    {                                                                                              \
        case_play(*state, play);                                                                   \
    }                                                                                              \
    TEST_DECLARED files_are_declared(void)                                                         \
    {                                                                                              \
        static glob_t files;                                                                       \
        if (glob(folder "/*.case", 0, NULL, &files) != 0)                                          \
            abort();                                                                               \
        for (size_t i = 0; i < files.gl_pathc; i++)                                                \
            test_declare((int)i, (struct CMUnitTest){.name = strrchr(files.gl_pathv[i], '/') + 1,  \
                                                     .test_func = play_file,                       \
                                                     .initial_state = files.gl_pathv[i]});         \
    }

#endif
