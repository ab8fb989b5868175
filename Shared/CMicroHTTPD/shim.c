#include "shim.h"

#include <stdarg.h>
#include <stdio.h>

static void forward_message(void *context, const char *format, va_list arguments) {
    const struct cmicrohttpd_options *options = context;
    char message[512];
    vsnprintf(message, sizeof(message), format, arguments);
    options->log_message(options->context, message);
}

struct MHD_Daemon *cmicrohttpd_start(const struct cmicrohttpd_options *options) {
    unsigned int flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
    if (options->is_ipv6) flags |= MHD_USE_DUAL_STACK;
    struct MHD_OptionItem pool[] = {
        // A pool of one thread is an error to the library; without this option it has one.
        {options->threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END, (intptr_t)options->threads, NULL},
        {MHD_OPTION_END, 0, NULL},
    };
    return MHD_start_daemon(
        // The logger comes first: it hears only of what later options do.
        flags, 0, NULL, NULL, options->handle_request, options->context,
        MHD_OPTION_EXTERNAL_LOGGER, forward_message, (void *)options,
        MHD_OPTION_SOCK_ADDR, options->address,
        MHD_OPTION_CONNECTION_LIMIT, options->connections_maximum,
        MHD_OPTION_CONNECTION_TIMEOUT, options->idle_seconds_maximum,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, options->connection_memory_bytes,
        MHD_OPTION_URI_LOG_CALLBACK, options->start_request, options->context,
        MHD_OPTION_NOTIFY_COMPLETED, options->end_request, options->context,
        MHD_OPTION_NOTIFY_CONNECTION, options->change_connection, options->context,
        MHD_OPTION_ARRAY, pool,
        MHD_OPTION_END);
}

uint16_t cmicrohttpd_port(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info ? info->port : 0;
}

int cmicrohttpd_descriptor(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

const struct sockaddr *cmicrohttpd_peer(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info ? info->client_addr : NULL;
}

void *cmicrohttpd_socket_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

size_t cmicrohttpd_header_bytes(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : 0;
}
