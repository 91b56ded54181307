/* safetensors files (huggingface.co/docs/safetensors, format of 2022):
 *
 *   8 bytes   N, unsigned, little-endian: size of the header; N <= 100,000,000
 *   N bytes   JSON object, first byte '{', padded with spaces so that the data is 8-aligned:
 *             {"__metadata__": {"k": "v", ...},
 *              "name": {"dtype": "F32", "shape": [2,3], "data_offsets": [begin, end]}, ...}
 *   the data  little-endian, row major, each tensor at its offsets, together exactly covering it
 *
 * The reader trusts nothing: no allocation is sized by an unchecked number. */
#ifndef ENGINE_BASE_SAFETENSORS_H
#define ENGINE_BASE_SAFETENSORS_H

#include <stddef.h>
#include <stdint.h>

#include "engine/base/status.h"

enum safetensors_dtype { DTYPE_F32, DTYPE_F64, DTYPE_I32, DTYPE_I64, DTYPE_U8 };
enum { SAFETENSORS_MAX_RANK = 8 };

struct safetensor {
    const char *name;
    enum safetensors_dtype dtype;
    int rank;
    int64_t shape[SAFETENSORS_MAX_RANK];
    const void *data; /* when reading: into the file's bytes, 1-aligned at worst */
    size_t size;      /* bytes */
    size_t offset;    /* when reading: of its first byte, from the start of the data */
};

struct safetensors_meta {
    const char *key, *value; /* UTF-8 */
};

struct safetensors {
    int count;
    struct safetensor *tensor;
    int meta_count;
    struct safetensors_meta *meta;
    void *memory; /* owns the names and the tables when read */
};

/* Reads a file image of `size` bytes. The result points into `bytes`, which must outlive it.
 * CORRUPT: the message says what is wrong, and at which byte or tensor. Free with safetensors_free.
 */
enum status safetensors_parse(const void *bytes, size_t size, struct safetensors *out,
                              struct message *m);
void safetensors_free(struct safetensors *s);

/* The same from the first `given` bytes of a file of `size` bytes, which must hold its header: all
 * that safetensors_parse checks is checked, and every tensor's data is NULL. */
enum status safetensors_parse_header(const void *bytes, size_t given, size_t size,
                                     struct safetensors *out, struct message *m);

/* A file of which the header has been read, and the data where safetensors_load was called. */
struct safetensors_file {
    const char *path; /* the caller's, kept */
    int fd;
    unsigned char *header; /* with its length in front */
    size_t header_size;
    unsigned char *data; /* NULL before safetensors_load */
    size_t data_size;
    struct safetensors list;
};

/* Reads the header alone and checks it against the file's size: a caller can look at names, shapes
 * and metadata before reading the data of a large file. CORRUPT: the message says what is wrong;
 * IO: it cannot be read. Close with safetensors_close, also after a failure. */
enum status safetensors_open(const char *path, struct safetensors_file *f, struct message *m);

/* The same of a file that is open already, and becomes f's; path names it in messages. */
enum status safetensors_open_fd(int fd, const char *path, struct safetensors_file *f,
                                struct message *m);

/* Reads the data; list's tensors then point into it. */
enum status safetensors_load(struct safetensors_file *f, struct message *m);

void safetensors_close(struct safetensors_file *f);

/* The tensor or metadata value of that name, or NULL. */
const struct safetensor *safetensors_find(const struct safetensors *s, const char *name);
const char *safetensors_meta(const struct safetensors *s, const char *key);

/* Everything before the data, length and padding included, as safetensors_write would write it:
 * *bytes (malloc) is the caller's to free. INTERNAL where a tensor's size does not fit its shape or
 * a text is not UTF-8. */
enum status safetensors_header(const struct safetensors *s, char **bytes, size_t *size,
                               struct message *m);

/* Writes the file durably at `path`: temporary file in the same folder, write, fsync, close,
 * rename, fsync of the folder. On failure as file_write (engine/base/file.h): `path` is as it
 * was, except where only the sync of the folder failed. sha256 (65 bytes) gets the digest of the
 * whole file; NULL: not wanted. A failed sync is never retried. */
enum status safetensors_write(const char *path, const struct safetensors *s, char *sha256,
                              struct message *m);

#endif
