#ifndef CARILLON_CRDKAFKA_SHIM_H
#define CARILLON_CRDKAFKA_SHIM_H

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

/* Constants that are casts in the library's header, which Swift does not import. */
static const int32_t crdkafka_partition_unassigned = RD_KAFKA_PARTITION_UA;

/* Chooses partitions by murmur2 of the part before the key's first zero byte; messages without a key are distributed.
   In C, since the library calls it for every message. */
void crdkafka_partition_by_prefix(rd_kafka_topic_conf_t *_Nonnull settings);

#endif
