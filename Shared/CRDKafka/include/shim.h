#ifndef CARILLON_CRDKAFKA_SHIM_H
#define CARILLON_CRDKAFKA_SHIM_H

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

/* Constants that are casts in the library's header, which Swift does not import. */
static const int32_t crdkafka_partition_unassigned = RD_KAFKA_PARTITION_UA;

#endif
