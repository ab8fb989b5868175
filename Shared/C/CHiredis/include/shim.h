#ifndef CARILLON_CHIREDIS_SHIM_H
#define CARILLON_CHIREDIS_SHIM_H

// The house uses the reply reader alone: it takes bytes and knows nothing of sockets, so transport, TLS and deadlines stay
// ours. The blocking client is for the bare loops of the benchmarks.
#include <hiredis/hiredis.h>
#include <hiredis/read.h>

#endif
