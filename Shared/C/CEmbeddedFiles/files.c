#include "files.h"

static const unsigned char openapi[] = {
#pragma clang diagnostic ignored "-Wc23-extensions"
#embed "../../../docs/api/openapi.yaml"
};

const unsigned char *const carillon_openapi = openapi;
const size_t carillon_openapi_size = sizeof openapi;
