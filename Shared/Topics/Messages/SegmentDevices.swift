package import PushModel

/// The devices of a chunk in one segment, which is also one ledger. All columns have the same length.
package struct SegmentDevices: Hashable, Sendable {
    package let segment: SegmentNumber
    package private(set) var offsets: [UInt16] = []
    /// For each device its index in the chunk's variants.
    package private(set) var variants: [UInt8] = []
    package private(set) var isSandbox: [Bool] = []
    package private(set) var tags: [UInt32] = []
    /// Time of the last registration, in seconds since 1970: an older report of invalidity does not count.
    package private(set) var updated: [UInt32] = []
    package private(set) var tokens: [String] = []
    /// Of browsers; empty in a segment without any.
    private var webPushKeys: [WebPushKeys?] = []

    package init(segment: SegmentNumber) {
        self.segment = segment
    }

    package var count: Int { offsets.count }

    package mutating func append(offset: UInt16, variant: UInt8, device: Device) {
        append(
            offset: offset, variant: variant, isSandbox: device.environment == .sandbox, tag: device.tag,
            updated: device.updated, token: device.token.text, webPushKeys: device.webPushKeys)
    }

    package mutating func append(
        offset: UInt16, variant: UInt8, isSandbox isInSandbox: Bool, tag: UInt32, updated moment: UInt32, token: String,
        webPushKeys keys: WebPushKeys? = nil
    ) {
        offsets.append(offset)
        variants.append(variant)
        isSandbox.append(isInSandbox)
        tags.append(tag)
        updated.append(moment)
        tokens.append(token)
        if let keys {
            webPushKeys += Array(repeating: nil, count: count - 1 - webPushKeys.count)
            webPushKeys.append(keys)
        }
    }

    package func id(at position: Int) -> DeviceID {
        DeviceID(index: DeviceIndex(segment: segment, offset: offsets[position]), tag: tags[position])
    }

    package func webPushKeys(at position: Int) -> WebPushKeys? {
        position < webPushKeys.count ? webPushKeys[position] : nil
    }

    var hasWebPushKeys: Bool { !webPushKeys.isEmpty }

    /// Those of all devices, as far as there are any.
    func writeWebPushKeys(to bytes: inout [UInt8]) {
        bytes.append(variableInteger: webPushKeys.count)
        for keys in webPushKeys { bytes.append(counted: keys?.packed ?? []) }
    }

    /// False if they are malformed.
    mutating func readWebPushKeys(from reader: inout ByteReader) -> Bool {
        guard let count = reader.variableInteger(), count <= self.count,
            let all = reader.elements(count, read: { $0.counted() }),
            all.allSatisfy({ $0.isEmpty || $0.count == WebPushKeys.packedBytes })
        else { return false }
        webPushKeys = all.map { WebPushKeys(packed: $0) }
        return true
    }

    func write(to bytes: inout [UInt8]) {
        bytes.append(integer: segment.rawValue)
        bytes.append(variableInteger: count)
        for offset in offsets { bytes.append(integer: offset) }
        bytes.append(contentsOf: variants)
        bytes.append(contentsOf: isSandbox.map { $0 ? 1 : 0 })
        for tag in tags { bytes.append(integer: tag) }
        for moment in updated { bytes.append(integer: moment) }
        for var token in tokens {
            token.withUTF8 { text in
                bytes.append(variableInteger: text.count)
                bytes.append(contentsOf: text)
            }
        }
    }

    init?(from reader: inout ByteReader) {
        guard let segment = reader.integer(UInt32.self), segment <= SegmentNumber.maximum,
            let count = reader.variableInteger(), count <= DispatchChunk.devicesMaximum
        else { return nil }
        guard let offsets = reader.elements(count, read: { $0.integer(UInt16.self) }),
            offsets.allSatisfy({ Int($0) < DeviceIndex.segmentCapacity }), let variants = reader.bytes(count),
            let flags = reader.bytes(count), let tags = reader.elements(count, read: { $0.integer(UInt32.self) }),
            let updated = reader.elements(count, read: { $0.integer(UInt32.self) }),
            let tokens = reader.elements(count, read: { $0.text() })
        else { return nil }
        self.init(segment: SegmentNumber(rawValue: segment))
        self.offsets = offsets
        self.variants = Array(variants)
        isSandbox = flags.map { $0 != 0 }
        self.tags = tags
        self.updated = updated
        self.tokens = tokens
    }
}
