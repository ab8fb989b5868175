#ifndef CARILLON_CMICROHTTPD_H
#define CARILLON_CMICROHTTPD_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
// The C library module of Swift leaves it out.
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/types.h>

/// What the reader of a streamed body returns; casts in macros do not reach Swift.
static const ssize_t cmicrohttpd_end_of_stream = MHD_CONTENT_READER_END_OF_STREAM;
static const ssize_t cmicrohttpd_end_with_error = MHD_CONTENT_READER_END_WITH_ERROR;

/// What `MHD_start_daemon` takes as variable arguments, which Swift cannot pass.
struct cmicrohttpd_options {
    const struct sockaddr *_Nullable address;
    bool is_ipv6;
    unsigned int threads;
    unsigned int connections_maximum;
    unsigned int idle_seconds_maximum;
    size_t connection_memory_bytes;
    MHD_AccessHandlerCallback _Nullable handle_request;
    void *_Nullable (*_Nullable start_request)(
        void *_Nullable context, const char *_Nullable target, struct MHD_Connection *_Nullable connection);
    MHD_RequestCompletedCallback _Nullable end_request;
    MHD_NotifyConnectionCallback _Nullable change_connection;
    void (*_Nullable log_message)(void *_Nullable context, const char *_Nonnull message);
    /// Handed to every callback.
    void *_Nullable context;
};

/// `options` must stay where it is until the daemon has been stopped: the logger reads it. Null with errno on failure.
struct MHD_Daemon *_Nullable cmicrohttpd_start(const struct cmicrohttpd_options *_Nonnull options);

uint16_t cmicrohttpd_port(struct MHD_Daemon *_Nonnull daemon);
int cmicrohttpd_descriptor(struct MHD_Connection *_Nonnull connection);
const struct sockaddr *_Nullable cmicrohttpd_peer(struct MHD_Connection *_Nonnull connection);
/// What the `change_connection` callback stored for this connection.
void *_Nullable cmicrohttpd_socket_context(struct MHD_Connection *_Nonnull connection);
size_t cmicrohttpd_header_bytes(struct MHD_Connection *_Nonnull connection);

#endif
