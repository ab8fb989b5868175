#ifndef CARILLON_COPENSSL_SHIM_H
#define CARILLON_COPENSSL_SHIM_H

#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

/// accept4(2), which glibc declares only for GNU C: it alone sets both flags atomically, so that no process started
/// meanwhile inherits the descriptor.
int carillon_accept(int listener);

// These are macros in OpenSSL, which Swift cannot call.

/// Sets the minimum protocol to TLS 1.2. Returns 1 for success.
int carillon_ssl_context_require_tls_1_2(SSL_CTX *_Nonnull context);

/// Allows a write to take part of its buffer, and to be repeated from a buffer that has moved since.
void carillon_ssl_context_allow_partial_writes(SSL_CTX *_Nonnull context);

/// Idle connections keep no buffers.
void carillon_ssl_context_release_buffers(SSL_CTX *_Nonnull context);

/// Lets a read take as much from the socket as fits, instead of one record's header and then its rest.
void carillon_ssl_context_read_ahead(SSL_CTX *_Nonnull context);

/// Sets the server name sent in the handshake (SNI). Returns 1 for success.
int carillon_ssl_set_server_name(SSL *_Nonnull ssl, const char *_Nonnull name);

#endif
