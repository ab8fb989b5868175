#ifndef CARILLON_CMICROHTTPD_H
#define CARILLON_CMICROHTTPD_H

#include <stdint.h>

/// Starts a server on loopback over libmicrohttpd that answers every request with 201 and the same JSON, which must stay
/// in memory, from another thread than the one that reads requests. It runs as long as the process. Its port, or zero.
uint16_t cmicrohttpd_start_bare(const char *_Nonnull answer);

#endif
