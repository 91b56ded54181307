#include "sweep/serve/httpd.h"

#include <dlfcn.h>

#include "engine/base/library.h"

enum status httpd_load(struct httpd *h, struct message *m)
{
    h->library = library_open("libmicrohttpd", "libmicrohttpd", 12, "libmicrohttpd12", m);
    if (!h->library)
        return STATUS_IO;
    if (library_find(h->library, "MHD_start_daemon", &h->start_daemon) &&
        library_find(h->library, "MHD_stop_daemon", &h->stop_daemon) &&
        library_find(h->library, "MHD_get_connection_info", &h->connection_info) &&
        library_find(h->library, "MHD_get_connection_values_n", &h->connection_values) &&
        library_find(h->library, "MHD_lookup_connection_value", &h->lookup_value) &&
        library_find(h->library, "MHD_suspend_connection", &h->suspend) &&
        library_find(h->library, "MHD_resume_connection", &h->resume) &&
        library_find(h->library, "MHD_create_response_from_buffer_with_free_callback_cls",
                     &h->response_from_buffer) &&
        library_find(h->library, "MHD_create_response_from_callback", &h->response_from_callback) &&
        library_find(h->library, "MHD_add_response_header", &h->add_header) &&
        library_find(h->library, "MHD_queue_response", &h->queue_response) &&
        library_find(h->library, "MHD_destroy_response", &h->destroy_response))
        return STATUS_OK;
    return status_fail(m, STATUS_IO, "this libmicrohttpd is too old: %s", dlerror());
}
