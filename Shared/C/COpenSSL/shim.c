#define _GNU_SOURCE
#include "shim.h"

#include <sys/socket.h>

int carillon_accept(int listener) {
    return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int carillon_ssl_context_require_tls_1_2(SSL_CTX *context) {
    return (int)SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}

void carillon_ssl_context_allow_partial_writes(SSL_CTX *context) {
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

void carillon_ssl_context_release_buffers(SSL_CTX *context) {
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
}

void carillon_ssl_context_read_ahead(SSL_CTX *context) {
    SSL_CTX_set_read_ahead(context, 1);
    // Space for two records of maximum size, with header and padding.
    SSL_CTX_set_default_read_buffer_len(context, 2 * (SSL3_RT_MAX_PACKET_SIZE));
}

int carillon_ssl_set_server_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}
