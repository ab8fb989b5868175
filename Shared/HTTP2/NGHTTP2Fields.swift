import CNGHTTP2

/// Header fields in the form the C library takes them. Kept from message to message, so that its memory is used again.
///
/// Texts are copied into one buffer first: the library wants all of them to stay in place during its call.
struct NGHTTP2Fields {
    private var texts: [UInt8] = []
    private var fields: [nghttp2_nv] = []

    mutating func removeAll() {
        texts.removeAll(keepingCapacity: true)
        fields.removeAll(keepingCapacity: true)
    }

    mutating func append(_ name: StaticString, _ value: StaticString) {
        append(
            UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount),
            UnsafeBufferPointer(start: value.utf8Start, count: value.utf8CodeUnitCount), NGHTTP2_NV_FLAG_NONE)
    }

    mutating func append(_ name: StaticString, _ value: String) {
        let name = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        var value = value
        value.withUTF8 { append(name, $0, NGHTTP2_NV_FLAG_NONE) }
    }

    /// The library never puts `authorization` into the table, whatever the flag says, and `:path` only by name: both
    /// are what Apple asks for. For the rest the flag decides. In a connection's first message everything is indexed,
    /// which puts the names there.
    mutating func append(_ headers: HTTP2Headers, isFirst: Bool) {
        headers.forEachField { field in
            let isShared = isFirst || field.indexing == .table
            append(field.name, field.value, isShared ? NGHTTP2_NV_FLAG_NONE : NGHTTP2_NV_FLAG_NO_INDEX)
        }
    }

    mutating func withFields<Result>(_ body: (UnsafePointer<nghttp2_nv>?, Int) -> Result) -> Result {
        texts.withUnsafeMutableBufferPointer { texts in
            var next = texts.baseAddress
            for index in fields.indices {
                fields[index].name = next
                next = next.map { $0 + fields[index].namelen }
                fields[index].value = next
                next = next.map { $0 + fields[index].valuelen }
            }
            return fields.withUnsafeBufferPointer { body($0.baseAddress, $0.count) }
        }
    }

    private mutating func append(
        _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, _ flag: nghttp2_nv_flag
    ) {
        texts.append(contentsOf: name)
        texts.append(contentsOf: value)
        fields.append(
            nghttp2_nv(
                name: nil, value: nil, namelen: name.count, valuelen: value.count,
                flags: UInt8(truncatingIfNeeded: flag.rawValue)))
    }
}
