import PushModel

extension ContentNumber {
    static let bytesCount = MemoryLayout<UInt32>.size

    init?(from reader: inout ByteReader) {
        guard let number = reader.integer(UInt32.self).flatMap({ ContentNumber(rawValue: $0) }) else { return nil }
        self = number
    }
}
