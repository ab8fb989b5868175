import CNGHTTP2

/// Header fields in the C library's format. Reused for all messages, so that its memory is reused.
///
/// Texts are copied into one buffer first: the library needs all of them at stable addresses during its call.
struct NGHTTP2Fields {
    private var texts: [UInt8] = []
    /// Offset of each field's name in the texts; its value follows it.
    private var starts: [Int] = []
    private var fields: [nghttp2_nv] = []

    mutating func removeAll() {
        texts.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
        fields.removeAll(keepingCapacity: true)
    }

    mutating func append(_ name: StaticString, _ value: StaticString) {
        append(
            UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount),
            UnsafeBufferPointer(start: value.utf8Start, count: value.utf8CodeUnitCount), flag: NGHTTP2_NV_FLAG_NONE)
    }

    mutating func append(_ name: StaticString, _ value: String) {
        let name = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        var value = value
        value.withUTF8 { append(name, $0, flag: NGHTTP2_NV_FLAG_NONE) }
    }

    /// The library never puts `authorization` into the table, whatever the flag, and `:path` only by name: both as
    /// Apple requires. For other fields the flag decides. In a connection's first message everything is indexed, which
    /// puts the names into the table.
    mutating func append(_ headers: HTTP2Headers, isFirst: Bool) {
        headers.bytes.withUnsafeBufferPointer { bytes in
            let start = texts.count
            // Copied with the lengths between the texts: one copy instead of two per field.
            texts.append(contentsOf: bytes)
            HTTP2Headers.forEachPlace(in: bytes) { place in
                let isShared = isFirst || place.indexing == .table
                append(
                    at: start + place.name, name: place.value - place.name, value: place.end - place.value,
                    isShared ? NGHTTP2_NV_FLAG_NONE : NGHTTP2_NV_FLAG_NO_INDEX)
            }
        }
    }

    mutating func withFields<Result>(_ body: (UnsafePointer<nghttp2_nv>?, Int) -> Result) -> Result {
        texts.withUnsafeMutableBufferPointer { texts in
            fields.withUnsafeMutableBufferPointer { fields in
                for index in fields.indices {
                    let name = texts.baseAddress.map { $0 + starts[index] }
                    fields[index].name = name
                    fields[index].value = name.map { $0 + fields[index].namelen }
                }
                return body(fields.baseAddress, fields.count)
            }
        }
    }

    private mutating func append(
        _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, flag: nghttp2_nv_flag
    ) {
        append(at: texts.count, name: name.count, value: value.count, flag)
        texts.append(contentsOf: name)
        texts.append(contentsOf: value)
    }

    private mutating func append(at start: Int, name: Int, value: Int, _ flag: nghttp2_nv_flag) {
        starts.append(start)
        fields.append(
            nghttp2_nv(
                name: nil, value: nil, namelen: name, valuelen: value,
                flags: UInt8(truncatingIfNeeded: flag.rawValue)))
    }
}
