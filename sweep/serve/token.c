#include "sweep/serve/token.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/sha256.h"

void token_of(const char *text, size_t size, struct token *t)
{
    sha256_hex(text, size, t->digest);
}

enum status token_make(struct token *t, char text[TOKEN_TEXT_SIZE], struct message *m)
{
    static const char digits[] = "0123456789abcdef";
    uint8_t bytes[(TOKEN_TEXT_SIZE - 1) / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return status_fail(m, STATUS_IO, "no random bytes for a token: %s", strerror(errno));
    for (size_t i = 0; i < sizeof bytes; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    text[TOKEN_TEXT_SIZE - 1] = '\0';
    token_of(text, TOKEN_TEXT_SIZE - 1, t);
    return STATUS_OK;
}

/* As ssh refuses a key: a secret that others can read is none. */
static enum status check_owner(const char *path, const struct stat *st, struct message *m)
{
    if (!S_ISREG(st->st_mode))
        return status_fail(m, STATUS_BAD_INPUT, "%s is not a regular file", path);
    if (st->st_mode & (S_IRWXG | S_IRWXO))
        return status_fail(m, STATUS_BAD_INPUT,
                           "%s can be read or written by others (mode %03o); a token is a secret: "
                           "chmod 600 %s",
                           path, (unsigned)(st->st_mode & 0777), path);
    return STATUS_OK;
}

/* The first line, all there is; *size without its end. */
static enum status check_line(const char *path, const char *text, size_t read_size, size_t *size,
                              struct message *m)
{
    size_t n = read_size;
    if (n > 0 && text[n - 1] == '\n')
        n--;
    if (n > 0 && n < read_size && text[n - 1] == '\r')
        n--;
    for (size_t i = 0; i < n; i++)
        if (text[i] <= ' ' || text[i] > '~')
            return status_fail(m, STATUS_BAD_INPUT,
                               "%s: a token is one line of printable ASCII without spaces", path);
    if (n < TOKEN_MIN || n > TOKEN_MAX)
        return status_fail(m, STATUS_BAD_INPUT,
                           "%s: a token has %d to %d characters (`openssl rand -hex 16` makes one)",
                           path, TOKEN_MIN, TOKEN_MAX);
    *size = n;
    return STATUS_OK;
}

enum status token_read(const char *path, struct token *t, struct message *m)
{
    char text[TOKEN_MAX + 3]; /* with CR and LF, and one byte that is too many */
    struct stat st;
    size_t used = 0, size = 0;
    /* Without waiting where somebody has put a pipe in its place. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return status_fail(m, errno == ENOENT ? STATUS_BAD_INPUT : status_of_errno(errno), "%s: %s",
                           path, strerror(errno));
    enum status status = fstat(fd, &st) == 0
                             ? check_owner(path, &st, m)
                             : status_fail(m, STATUS_IO, "%s: %s", path, strerror(errno));
    ssize_t n = 1;
    while (status == STATUS_OK && used < sizeof text && n > 0) {
        n = read(fd, text + used, sizeof text - used);
        if (n < 0)
            status = status_fail(m, STATUS_IO, "%s: cannot be read: %s", path, strerror(errno));
        used += n > 0 ? (size_t)n : 0;
    }
    close(fd);
    if (status == STATUS_OK)
        status = check_line(path, text, used, &size, m);
    if (status == STATUS_OK)
        token_of(text, size, t);
    explicit_bzero(text, sizeof text);
    return status;
}

bool token_is_digest(const struct token *t, const char *text, size_t size)
{
    unsigned differs = 0;
    if (size != sizeof t->digest - 1)
        return false;
    for (size_t i = 0; i < size; i++)
        differs |= (unsigned)(unsigned char)t->digest[i] ^ (unsigned)(unsigned char)text[i];
    return differs == 0;
}

bool token_is(const struct token *t, const char *text, size_t size)
{
    struct token given;
    token_of(text, size, &given);
    return token_is_digest(t, given.digest, sizeof given.digest - 1);
}
