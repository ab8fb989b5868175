#ifndef CARILLON_CRDKAFKA_SHIM_H
#define CARILLON_CRDKAFKA_SHIM_H

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#pragma clang assume_nonnull begin

/* Constants that are casts in the library's header, which Swift does not import. */
static const int32_t crdkafka_partition_unassigned = RD_KAFKA_PARTITION_UA;

/* The version of the header this was compiled with; the library at run time may be another. */
int crdkafka_header_version(void);

#pragma clang assume_nonnull end

#endif
