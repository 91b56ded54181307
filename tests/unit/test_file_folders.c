/* Folders that files are to lie in: made with those above them, and synced. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include <stddef.h>
#include <stdint.h>

#include "tests/test.h"
#include "tests/unit/file_folder.h"

/* A mkdir that says EROFS first, as for folders above a writable mount. */
static bool read_only_above;

int mkdir(const char *name, mode_t mode)
{
    if (read_only_above && access(name, F_OK) == 0) {
        errno = EROFS;
        return -1;
    }
    return (int)syscall(SYS_mkdirat, AT_FDCWD, name, mode);
}

FIXTURE(set_up, tear_down)

TEST(folders_are_made)
{
    struct message m;
    struct stat st;
    char below[300];
    snprintf(below, sizeof below, "%s/a/b/file", folder);
    read_only_above = true;
    enum status s = file_make_folders_above(below, &m);
    read_only_above = false;
    assert_int_equal(s, STATUS_OK);
    assert_int_equal(file_make_folders_above(below, &m), STATUS_OK);
    assert_int_equal(file_make_folders_above("here", &m), STATUS_OK);
    assert_int_equal(file_make_folders_above("", &m), STATUS_OK);
    snprintf(below, sizeof below, "%s/a/b", folder);
    assert_int_equal(file_make_folder(below, &m), STATUS_OK);
    assert_int_equal(stat(below, &st), 0);
    assert_true(S_ISDIR(st.st_mode));
    assert_int_equal(rmdir(below), 0);
    snprintf(below, sizeof below, "%s/a", folder);
    assert_int_equal(rmdir(below), 0);
    assert_int_equal(write_text("x", &m), STATUS_OK); /* a file is no folder */
    assert_int_equal(file_make_folder(path, &m), STATUS_IO);
    assert_non_null(strstr(m.text, "cannot make this folder: Not a directory"));
    snprintf(below, sizeof below, "%s/b/file", path);
    assert_int_equal(file_make_folders_above(below, &m), STATUS_IO);
}

TEST(whose_folder_it_is)
{
    struct message m;
    char below[300];
    assert_int_equal(file_sync_folder("a-name", &m), STATUS_OK);
    assert_int_equal(file_sync_folder("/a-name", &m), STATUS_OK);
    snprintf(below, sizeof below, "%s/absent/file", folder);
    assert_int_equal(file_sync_folder(below, &m), STATUS_IO);
    assert_non_null(strstr(m.text, "/absent: cannot open the folder: No such file"));
    snprintf(below, sizeof below, "%s/file/file", folder); /* a file is no folder */
    assert_int_equal(write_text("x", &m), STATUS_OK);
    assert_int_equal(file_sync_folder(below, &m), STATUS_IO);
    struct iovec part = {below, 1};
    assert_int_equal(file_write(below, &part, 1, &m), STATUS_IO);
    assert_non_null(strstr(m.text, "cannot create: Not a directory"));
}
