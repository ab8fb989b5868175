#ifndef CARILLON_CMICROHTTPD_H
#define CARILLON_CMICROHTTPD_H

#include <stdint.h>

/// Starts a libmicrohttpd server on loopback that answers every request with 201 and the same JSON (which must stay in
/// memory), from another thread than the reading one. It runs until the process ends. Returns its port, or zero.
uint16_t cmicrohttpd_start_bare(const char *_Nonnull answer);

#endif
