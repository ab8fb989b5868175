#include "shim.h"

#include <cstring>
#include <new>
#include <simdjson.h>
#include <type_traits>

namespace dom = simdjson::dom;

struct csimdjson_parser {
    dom::parser parser;

    explicit csimdjson_parser(size_t bytes_maximum) : parser(bytes_maximum) {}
};

namespace {

/// simdjson's handles are a document and an index, but their constructors are private: they are passed to C as bytes.
template <typename Handle> Handle restored(const csimdjson_element &bytes) {
    static_assert(sizeof(Handle) == sizeof(csimdjson_element), "the handle must fit");
    static_assert(std::is_trivially_copyable<Handle>::value, "the handle must survive a copy of its bytes");
    Handle handle;
    std::memcpy(static_cast<void *>(&handle), &bytes, sizeof handle);
    return handle;
}

template <typename Handle> csimdjson_element stored(const Handle &handle) {
    static_assert(sizeof(Handle) == sizeof(csimdjson_element), "the handle must fit");
    csimdjson_element bytes;
    std::memcpy(&bytes, &handle, sizeof bytes);
    return bytes;
}

template <typename Container> bool begin(csimdjson_element element, csimdjson_iterator *iterator) {
    Container container;
    if (restored<dom::element>(element).get(container) != simdjson::SUCCESS) { return false; }
    *iterator = {stored(container.begin()), stored(container.end())};
    return true;
}

} // namespace

const size_t csimdjson_padding = simdjson::SIMDJSON_PADDING;

csimdjson_parser *csimdjson_parser_create(size_t bytes_maximum, size_t depth_maximum) {
    auto parser = new (std::nothrow) csimdjson_parser(bytes_maximum);
    // Allocation is the only way to set the depth, of which the document itself takes one level; capacity grows later.
    if (parser && parser->parser.allocate(dom::MINIMAL_DOCUMENT_CAPACITY, depth_maximum + 1)) {
        delete parser;
        return nullptr;
    }
    return parser;
}

void csimdjson_parser_destroy(csimdjson_parser *parser) {
    delete parser;
}

int32_t csimdjson_parse(
    csimdjson_parser *parser, const uint8_t *bytes, size_t length, size_t capacity, csimdjson_element *root) {
    if (!bytes) { return simdjson::EMPTY; }
    // Check first: simdjson would copy a document and then refuse it.
    if (length > parser->parser.max_capacity()) { return simdjson::CAPACITY; }
    bool is_padded = capacity >= length && capacity - length >= simdjson::SIMDJSON_PADDING;
    dom::element element;
    auto error = parser->parser.parse(bytes, length, !is_padded).get(element);
    if (error == simdjson::SUCCESS) { *root = stored(element); }
    return error;
}

const char *csimdjson_error_message(int32_t error) {
    return simdjson::error_message(static_cast<simdjson::error_code>(error));
}

csimdjson_type csimdjson_element_type(csimdjson_element element) {
    switch (restored<dom::element>(element).type()) {
    case dom::element_type::ARRAY: return CSIMDJSON_ARRAY;
    case dom::element_type::OBJECT: return CSIMDJSON_OBJECT;
    case dom::element_type::INT64: return CSIMDJSON_INT64;
    case dom::element_type::UINT64: return CSIMDJSON_UINT64;
    case dom::element_type::DOUBLE: return CSIMDJSON_DOUBLE;
    case dom::element_type::STRING: return CSIMDJSON_STRING;
    case dom::element_type::BOOL: return CSIMDJSON_BOOL;
    case dom::element_type::NULL_VALUE: return CSIMDJSON_NULL;
    }
    return CSIMDJSON_NULL;
}

bool csimdjson_get_bool(csimdjson_element element, bool *value) {
    return restored<dom::element>(element).get(*value) == simdjson::SUCCESS;
}

bool csimdjson_get_int64(csimdjson_element element, int64_t *value) {
    return restored<dom::element>(element).get(*value) == simdjson::SUCCESS;
}

bool csimdjson_get_uint64(csimdjson_element element, uint64_t *value) {
    return restored<dom::element>(element).get(*value) == simdjson::SUCCESS;
}

bool csimdjson_get_double(csimdjson_element element, double *value) {
    return restored<dom::element>(element).get(*value) == simdjson::SUCCESS;
}

bool csimdjson_get_string(csimdjson_element element, const char **text, size_t *length) {
    auto value = restored<dom::element>(element);
    return value.get_c_str().get(*text) == simdjson::SUCCESS
        && value.get_string_length().get(*length) == simdjson::SUCCESS;
}

size_t csimdjson_container_count(csimdjson_element element) {
    auto container = restored<dom::element>(element);
    dom::array array;
    if (container.get(array) == simdjson::SUCCESS) { return array.size(); }
    dom::object object;
    return container.get(object) == simdjson::SUCCESS ? object.size() : 0;
}

bool csimdjson_array_begin(csimdjson_element element, csimdjson_iterator *iterator) {
    return begin<dom::array>(element, iterator);
}

bool csimdjson_array_next(csimdjson_iterator *iterator, csimdjson_element *element) {
    auto next = restored<dom::array::iterator>(iterator->next);
    if (next == restored<dom::array::iterator>(iterator->end)) { return false; }
    *element = stored(*next);
    iterator->next = stored(++next);
    return true;
}

bool csimdjson_object_begin(csimdjson_element element, csimdjson_iterator *iterator) {
    return begin<dom::object>(element, iterator);
}

bool csimdjson_object_next(
    csimdjson_iterator *iterator, const char **name, size_t *name_length, csimdjson_element *element) {
    auto next = restored<dom::object::iterator>(iterator->next);
    if (next == restored<dom::object::iterator>(iterator->end)) { return false; }
    *name = next.key_c_str();
    *name_length = next.key_length();
    *element = stored(next.value());
    iterator->next = stored(++next);
    return true;
}
