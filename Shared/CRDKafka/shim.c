#include "shim.h"

int crdkafka_header_version(void) {
    return RD_KAFKA_VERSION;
}
