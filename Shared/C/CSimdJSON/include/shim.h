#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A C interface to simdjson's document parser, which consists of C++ templates. Nothing here throws or aborts: an
// invalid document yields an error code, an accessor that does not fit its element returns false.

#ifdef __cplusplus
extern "C" {
#endif

#pragma clang assume_nonnull begin

/// Owns the memory of the document parsed last. Used by one thread at a time.
typedef struct csimdjson_parser csimdjson_parser;

typedef enum {
    CSIMDJSON_NULL,
    CSIMDJSON_BOOL,
    CSIMDJSON_INT64,
    /// An integer too large for int64.
    CSIMDJSON_UINT64,
    CSIMDJSON_DOUBLE,
    CSIMDJSON_STRING,
    CSIMDJSON_ARRAY,
    CSIMDJSON_OBJECT,
} csimdjson_type;

/// A position in the parser's document; invalid after the next parse and after the parser is destroyed.
typedef struct {
    const void *_Nullable document;
    size_t index;
} csimdjson_element;

/// The remaining part of an array or object.
typedef struct {
    csimdjson_element next;
    csimdjson_element end;
} csimdjson_iterator;

/// Number of readable bytes required after a document to parse it without a copy.
extern const size_t csimdjson_padding;

/// Rejects documents longer than `bytes_maximum` or nested deeper than `depth_maximum`. Null if out of memory.
csimdjson_parser *_Nullable csimdjson_parser_create(size_t bytes_maximum, size_t depth_maximum);
void csimdjson_parser_destroy(csimdjson_parser *parser);

/// Parses a whole document, which must be one value in strict UTF-8. Returns zero, or an error code for
/// `csimdjson_error_message`. `capacity` is the number of readable bytes of the buffer: if it exceeds `length` by
/// `csimdjson_padding`, the document is parsed in place, otherwise copied first. The bytes are not needed afterwards.
int32_t csimdjson_parse(
    csimdjson_parser *parser, const uint8_t *_Nullable bytes, size_t length, size_t capacity, csimdjson_element *root);

/// Static text.
const char *csimdjson_error_message(int32_t error);

csimdjson_type csimdjson_element_type(csimdjson_element element);

bool csimdjson_get_bool(csimdjson_element element, bool *value);
bool csimdjson_get_int64(csimdjson_element element, int64_t *value);
bool csimdjson_get_uint64(csimdjson_element element, uint64_t *value);
/// Also for integers, rounded if a double cannot represent them.
bool csimdjson_get_double(csimdjson_element element, double *value);
/// The unescaped text, which may contain zero bytes; it belongs to the parser.
bool csimdjson_get_string(csimdjson_element element, const char *_Nullable *_Nonnull text, size_t *length);

/// Number of elements of an array or members of an object, including repeated names; 0xFFFFFF means that many or more.
/// Zero for other values.
size_t csimdjson_container_count(csimdjson_element element);

bool csimdjson_array_begin(csimdjson_element element, csimdjson_iterator *iterator);
/// False at the end.
bool csimdjson_array_next(csimdjson_iterator *iterator, csimdjson_element *element);

bool csimdjson_object_begin(csimdjson_element element, csimdjson_iterator *iterator);
/// False at the end. Members come in the document's order; a repeated name comes repeatedly.
bool csimdjson_object_next(
    csimdjson_iterator *iterator, const char *_Nullable *_Nonnull name, size_t *name_length,
    csimdjson_element *element);

#pragma clang assume_nonnull end

#ifdef __cplusplus
}
#endif
