/* What is used of libmicrohttpd, which is loaded when a server begins: linked, it and what it draws
 * in (gnutls) would cost the start of every worker some milliseconds. */
#ifndef SWEEP_SERVE_HTTPD_H
#define SWEEP_SERVE_HTTPD_H

#include <microhttpd.h>

#include "engine/base/status.h"

struct httpd {
    void *library;
    __typeof__(MHD_start_daemon) *start_daemon;
    __typeof__(MHD_stop_daemon) *stop_daemon;
    __typeof__(MHD_get_connection_info) *connection_info;
    __typeof__(MHD_get_connection_values_n) *connection_values;
    __typeof__(MHD_lookup_connection_value) *lookup_value;
    __typeof__(MHD_suspend_connection) *suspend;
    __typeof__(MHD_resume_connection) *resume;
    __typeof__(MHD_create_response_from_buffer_with_free_callback_cls) *response_from_buffer;
    __typeof__(MHD_create_response_from_callback) *response_from_callback;
    __typeof__(MHD_add_response_header) *add_header;
    __typeof__(MHD_queue_response) *queue_response;
    __typeof__(MHD_destroy_response) *destroy_response;
};

/* All functions are there afterwards. IO where the library is missing or too old; the message says
 * how to get it. */
enum status httpd_load(struct httpd *h, struct message *m);

#endif
