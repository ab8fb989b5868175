#include "shim.h"

enum { windowBits = 15, detectsFormat = 32 };

int carillon_inflate_init(z_stream *stream) {
    return inflateInit2(stream, windowBits + detectsFormat);
}
