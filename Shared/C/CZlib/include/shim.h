#ifndef CARILLON_CZLIB_SHIM_H
#define CARILLON_CZLIB_SHIM_H

#include <zlib.h>

// A macro in zlib, which Swift cannot call.

/// Prepares a stream that reads the formats of zlib and gzip, told apart by their first bytes. Returns Z_OK for success.
int carillon_inflate_init(z_stream *_Nonnull stream);

#endif
