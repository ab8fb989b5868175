#include "shim.h"

#include <string.h>

static int32_t partition_of(const rd_kafka_topic_t *topic, const void *key, size_t key_length, int32_t partition_count,
                            void *topic_opaque, void *message_opaque) {
    if (key == NULL)
        return rd_kafka_msg_partitioner_random(topic, key, key_length, partition_count, topic_opaque, message_opaque);
    const char *zero = key_length > 0 ? memchr(key, 0, key_length) : NULL;
    size_t length = zero != NULL ? (size_t)(zero - (const char *)key) : key_length;
    return rd_kafka_msg_partitioner_murmur2(topic, key, length, partition_count, topic_opaque, message_opaque);
}

void crdkafka_partition_by_prefix(rd_kafka_topic_conf_t *settings) {
    rd_kafka_topic_conf_set_partitioner_cb(settings, partition_of);
}
