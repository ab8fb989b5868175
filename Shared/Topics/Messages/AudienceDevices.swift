package import PushModel

/// The devices of an audience chunk in one segment: their registry records, packed in one buffer, since most stages
/// only pass them on. All columns have the same length.
package struct AudienceDevices: Hashable, Sendable {
    package let segment: SegmentNumber
    package private(set) var offsets: [UInt16] = []
    /// True for devices that receive data and badge but no alert.
    package private(set) var isSilent: [Bool] = []
    /// Of tasks with listed contents; empty in a segment without any.
    private var contents: [ContentNumber] = []
    private var ends: [Int] = []
    private var bytes: [UInt8] = []

    package init(segment: SegmentNumber) {
        self.segment = segment
    }

    package var count: Int { offsets.count }

    package mutating func append(
        offset: UInt16, record: some Collection<UInt8>, isSilent: Bool, content: ContentNumber = .ofTask
    ) {
        precondition(Int(offset) < DeviceIndex.segmentCapacity, "offset \(offset) is outside a segment")
        offsets.append(offset)
        self.isSilent.append(isSilent)
        bytes.append(contentsOf: record)
        ends.append(bytes.count)
        if content != .ofTask {
            contents += Array(repeating: .ofTask, count: count - 1 - contents.count)
            contents.append(content)
        }
    }

    package func content(at position: Int) -> ContentNumber {
        position < contents.count ? contents[position] : .ofTask
    }

    package var hasContents: Bool { !contents.isEmpty }

    package func record(at position: Int) -> ArraySlice<UInt8> {
        bytes[start(of: position)..<ends[position]]
    }

    /// Nil if the record cannot be decoded.
    package func device(at position: Int) -> Device? {
        Device(packed: record(at: position))
    }

    /// Those of all devices, as far as there are any.
    func writeContents(to message: inout [UInt8]) {
        message.append(variableInteger: contents.count)
        for content in contents { message.append(integer: content.rawValue) }
    }

    /// False if they are malformed.
    mutating func readContents(from reader: inout ByteReader) -> Bool {
        guard let count = reader.variableInteger(), count <= self.count,
            let contents = reader.elements(count, read: { ContentNumber(from: &$0) }), contents.last != .ofTask
        else { return false }
        self.contents = contents
        return true
    }

    private func start(of position: Int) -> Int { position == 0 ? 0 : ends[position - 1] }

    func write(to message: inout [UInt8]) {
        message.append(integer: segment.rawValue)
        message.append(variableInteger: count)
        // Byte by byte: from another module the generic call costs more than the rest of a chunk's columns.
        for offset in offsets {
            message.append(UInt8(truncatingIfNeeded: offset))
            message.append(UInt8(truncatingIfNeeded: offset >> 8))
        }
        message.append(contentsOf: isSilent.map { $0 ? 1 : 0 })
        for position in offsets.indices { message.append(variableInteger: ends[position] - start(of: position)) }
        message.append(contentsOf: bytes)
    }

    init?(from reader: inout ByteReader) {
        guard let segment = reader.integer(UInt32.self), segment <= SegmentNumber.maximum,
            let count = reader.variableInteger(), count <= AudienceChunk.devicesMaximum
        else { return nil }
        guard let offsets = reader.elements(count, read: { $0.integer(UInt16.self) }),
            offsets.allSatisfy({ Int($0) < DeviceIndex.segmentCapacity }), let flags = reader.bytes(count)
        else { return nil }
        self.init(segment: SegmentNumber(rawValue: segment))
        self.offsets = offsets
        isSilent = flags.map { $0 != 0 }
        var end = 0
        for _ in 0..<count {
            guard let length = reader.variableInteger() else { return nil }
            end += length
            ends.append(end)
        }
        guard let records = reader.bytes(end) else { return nil }
        bytes = Array(records)
    }
}
