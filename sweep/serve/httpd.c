#include "sweep/serve/httpd.h"

#include <dlfcn.h>
#include <string.h>

#include "sweep/serve/listener.h"

static bool find(struct httpd *h, const char *name, void *function)
{
    void *found = dlsym(h->library, name);
    memcpy(function, &found, sizeof found); /* ISO C has no cast between the two */
    return found != NULL;
}

enum status httpd_load(struct httpd *h, struct message *m)
{
    h->library = dlopen("libmicrohttpd.so.12", RTLD_NOW | RTLD_LOCAL);
    if (!h->library)
        h->library = dlopen("libmicrohttpd.so", RTLD_NOW | RTLD_LOCAL);
    if (!h->library)
        return status_fail(m, STATUS_IO, "libmicrohttpd cannot be loaded; %s", listener_remedy);
    if (find(h, "MHD_start_daemon", &h->start_daemon) &&
        find(h, "MHD_stop_daemon", &h->stop_daemon) &&
        find(h, "MHD_get_connection_info", &h->connection_info) &&
        find(h, "MHD_get_connection_values_n", &h->connection_values) &&
        find(h, "MHD_lookup_connection_value", &h->lookup_value) &&
        find(h, "MHD_suspend_connection", &h->suspend) &&
        find(h, "MHD_resume_connection", &h->resume) &&
        find(h, "MHD_create_response_from_buffer_with_free_callback_cls",
             &h->response_from_buffer) &&
        find(h, "MHD_create_response_from_callback", &h->response_from_callback) &&
        find(h, "MHD_add_response_header", &h->add_header) &&
        find(h, "MHD_queue_response", &h->queue_response) &&
        find(h, "MHD_destroy_response", &h->destroy_response))
        return STATUS_OK;
    return status_fail(m, STATUS_IO, "this libmicrohttpd is too old: %s", dlerror());
}
