#ifndef CARILLON_CHIREDIS_SHIM_H
#define CARILLON_CHIREDIS_SHIM_H

// Only the reply reader: it takes bytes and knows nothing of sockets, so transport, TLS and deadlines stay ours.
#include <hiredis/read.h>

#endif
