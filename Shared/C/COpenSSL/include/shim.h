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

/// accept4(2), which glibc shows to GNU C alone: only it sets both flags at once, so that no process started meanwhile
/// inherits the descriptor.
int carillon_accept(int listener);

// These are macros in OpenSSL, which Swift cannot call.

/// Returns 1 when the lowest protocol is TLS 1.2 from now on.
int carillon_ssl_context_require_tls_1_2(SSL_CTX *_Nonnull context);

/// Lets a write take part of its buffer, and be repeated from a buffer that has moved since.
void carillon_ssl_context_allow_partial_writes(SSL_CTX *_Nonnull context);

/// A connection on which nothing is on its way keeps no buffers.
void carillon_ssl_context_release_buffers(SSL_CTX *_Nonnull context);

/// Lets a read take as much from the socket as there is room for, instead of one record's head, then its rest.
void carillon_ssl_context_read_ahead(SSL_CTX *_Nonnull context);

/// Returns 1 when the name is sent to the server in the handshake (SNI).
int carillon_ssl_set_server_name(SSL *_Nonnull ssl, const char *_Nonnull name);

#endif
