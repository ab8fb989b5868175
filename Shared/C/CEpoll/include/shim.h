#ifndef CARILLON_CEPOLL_SHIM_H
#define CARILLON_CEPOLL_SHIM_H

// Swift's module of the C library omits this header.
#include <sys/epoll.h>

#endif
