#include "sweep/serve/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 256, PORT_MAX = 65535 };

/* An address of either family. */
union address {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
};

static socklen_t size_of(const union address *a)
{
    return a->any.sa_family == AF_INET6 ? sizeof a->six : sizeof a->four;
}

static void set_port(union address *a, int port)
{
    if (a->any.sa_family == AF_INET6)
        a->six.sin6_port = htons((uint16_t)port);
    else
        a->four.sin_port = htons((uint16_t)port);
}

static bool is_local(const union address *a)
{
    if (a->any.sa_family == AF_INET6)
        return IN6_IS_ADDR_LOOPBACK(&a->six.sin6_addr);
    return ntohl(a->four.sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

static bool is_any(const union address *a)
{
    if (a->any.sa_family == AF_INET6)
        return IN6_IS_ADDR_UNSPECIFIED(&a->six.sin6_addr);
    return a->four.sin_addr.s_addr == htonl(INADDR_ANY);
}

/* A socket that listens there, or -1 with errno; *port is what it got. */
static int open_socket(const union address *a, int *port)
{
    union address got = *a;
    socklen_t size = sizeof got;
    int only_six = !is_any(a), on = 1;
    int fd = socket(a->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return -1;
    bool good = setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0;
    if (good && a->any.sa_family == AF_INET6)
        good = setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only_six, sizeof only_six) == 0;
    if (good && bind(fd, &a->any, size_of(a)) == 0 && listen(fd, BACKLOG) == 0 &&
        getsockname(fd, &got.any, &size) == 0) {
        *port = ntohs(got.any.sa_family == AF_INET6 ? got.six.sin6_port : got.four.sin_port);
        return fd;
    }
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

/* All addresses at one port. 0, or errno of the first that fails. */
static int open_all(const union address *a, int count, int port, struct listening *l)
{
    l->count = 0;
    for (int i = 0; i < count; i++) {
        union address at = a[i];
        set_port(&at, l->count ? l->port : port);
        int fd = open_socket(&at, &l->port);
        if (fd < 0 && i > 0 && errno != EADDRINUSE)
            continue; /* this machine has no ::1 */
        if (fd < 0) {
            int error = errno;
            address_close(l);
            return error;
        }
        l->ipv6[l->count] = at.any.sa_family == AF_INET6;
        l->fd[l->count++] = fd;
    }
    return 0;
}

static enum status find_address(const char *where, union address *a, struct message *m)
{
    static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  ".:-_%";
    struct addrinfo wanted = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE}, *found = NULL;
    int code =
        where[strspn(where, letters)] ? EAI_NONAME : getaddrinfo(where, "0", &wanted, &found);
    bool fits = code == 0 && found->ai_addrlen <= sizeof *a;
    if (fits)
        memcpy(a, found->ai_addr, found->ai_addrlen);
    if (found)
        freeaddrinfo(found);
    if (fits)
        return STATUS_OK;
    return status_fail(m, STATUS_BAD_INPUT,
                       "--listen is '%s': %s; give an address of this machine, such as 192.0.2.7, "
                       "or 0.0.0.0 for all",
                       where, code ? gai_strerror(code) : "not an IP address");
}

static void add_name(struct listening *l, const char *name)
{
    int n = 0;
    while (l->names[n])
        n++;
    if (n == ADDRESS_NAMES || !*name)
        return;
    snprintf(l->name[n], ADDRESS_NAME_SIZE, "%s", name);
    for (char *c = l->name[n]; *c; c++)
        *c = *c >= 'A' && *c <= 'Z' ? (char)(*c | 32) : *c;
    l->names[n] = l->name[n];
}

static void name_it(const char *where, const union address *a, struct listening *l)
{
    char text[INET6_ADDRSTRLEN] = "", host[ADDRESS_NAME_SIZE] = "";
    if (a->any.sa_family == AF_INET6)
        inet_ntop(AF_INET6, &a->six.sin6_addr, text, sizeof text);
    else
        inet_ntop(AF_INET, &a->four.sin_addr, text, sizeof text);
    gethostname(host, sizeof host - 1);
    if (where && !is_any(a))
        add_name(l, where);
    if (is_any(a))
        add_name(l, host);
    add_name(l, text);
    if (l->local) {
        add_name(l, "127.0.0.1");
        add_name(l, "::1");
    } else {
        add_name(l, host);
        host[strcspn(host, ".")] = '\0';
        add_name(l, host);
    }
    add_name(l, "localhost");
}

enum status address_listen(const char *where, int port, int tries, const char *option,
                           struct listening *l, struct message *m)
{
    union address a[ADDRESS_SOCKETS] = {
        {.four = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}}},
        {.six = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT}}};
    int count = where ? 1 : ADDRESS_SOCKETS, error = 0;
    enum status status = where ? find_address(where, &a[0], m) : STATUS_OK;
    *l = (struct listening){.count = 0};
    if (status != STATUS_OK)
        return status;
    do
        error = open_all(a, count, port, l);
    while (error == EADDRINUSE && --tries > 0 && (port == 0 || port++ < PORT_MAX));
    if (error == EADDRINUSE)
        return status_fail(m, STATUS_BAD_INPUT,
                           "port %d is taken by another program; give another one with %s", port,
                           option);
    if (error == EADDRNOTAVAIL)
        return status_fail(m, STATUS_BAD_INPUT,
                           "--listen is '%s': this machine has no such address",
                           where ? where : "127.0.0.1");
    if (error)
        return status_fail(m, STATUS_IO, "cannot listen at port %d: %s", port, strerror(error));
    l->local = is_local(&a[0]);
    name_it(where, &a[0], l);
    return STATUS_OK;
}

void address_close(struct listening *l)
{
    while (l->count-- > 0)
        if (l->fd[l->count] >= 0)
            close(l->fd[l->count]);
    l->count = 0;
}
