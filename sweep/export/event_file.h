/* Files of events as TensorBoard reads them. A file is a list of TFRecords, each
 *
 *   8 bytes   n, little-endian
 *   4         masked CRC-32C of these 8
 *   n         the event
 *   4         masked CRC-32C of the n
 *
 * where masked is (crc >> 15 | crc << 17) + 0xa282ead8 (tensorflow/core/lib/io/record_writer.h). An
 * event is a protocol-buffer message; of its schema (tensorboard/compat/proto, plugins/hparams)
 * this is used, with the numbers of the fields:
 *
 *   Event            wall_time 1 double, step 2, file_version 3 string, summary 5 Summary,
 *                    source_metadata 10 SourceMetadata (writer 1 string)
 *   Summary          value 1 Value, repeated
 *   Value            tag 1 string, simple_value 2 float, tensor 8 TensorProto, metadata 9
 *   SummaryMetadata  plugin_data 1 (plugin_name 1 string, content 2 bytes), data_class 4 enum
 *   TensorProto      dtype 1 enum, tensor_shape 2, float_val 5 packed, string_val 8 bytes
 *   HParamsPluginData  session_start_info 3 (hparams 1 map of string to google.protobuf.Value,
 *                    start_time_secs 5 double), session_end_info 4 (status 1 enum, end_time_secs 2
 *                    double)
 *
 * The file is put together in memory. Starts as {0}; running out of memory is remembered, and
 * event_file_end says so. */
#ifndef SWEEP_EXPORT_EVENT_FILE_H
#define SWEEP_EXPORT_EVENT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/status.h"

struct event_bytes {
    unsigned char *at;
    size_t used, capacity;
    bool out_of_memory;
};

struct event_file {
    struct event_bytes file;
    struct event_bytes summary; /* of the event that is being put together */
    struct event_bytes hparams; /* of the trial */
    double wall_s;              /* of that event, seconds since 1970 */
    int64_t step;
};

/* The first record: that this is such a file, and who wrote it. */
void event_file_begin(struct event_file *f, double wall_s, const char *writer);

/* The next event, and its values; one without values is not written. A value that is not finite is
 * left out. */
void event_file_event(struct event_file *f, double wall_s, int64_t step);
void event_file_scalar(struct event_file *f, const char *tag, double value);
/* Markdown, for the tab Text. */
void event_file_text(struct event_file *f, const char *tag, const char *markdown);

/* For the tab HParams: options of the trial, one after the other, then when it started with them
 * and, where it has ended, when and how. */
void event_file_hparam_number(struct event_file *f, const char *name, double value);
void event_file_hparam_text(struct event_file *f, const char *name, const char *value);
void event_file_session_start(struct event_file *f, double start_s);
void event_file_session_end(struct event_file *f, bool completed, double end_s);

/* Writes the last event. NO_MEMORY where some of it is missing. */
enum status event_file_end(struct event_file *f, struct message *m);

/* Empties it, for another file. */
void event_file_clear(struct event_file *f);
void event_file_free(struct event_file *f);

#endif
