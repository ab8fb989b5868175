#ifndef CARILLON_CHIREDIS_SHIM_H
#define CARILLON_CHIREDIS_SHIM_H

// Product code uses only the reply reader: it takes bytes and has no sockets, so transport, TLS and deadlines stay in
// our code. The blocking client is for the bare loops of the benchmarks.
#include <hiredis/hiredis.h>
#include <hiredis/read.h>

#endif
