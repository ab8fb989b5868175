package import ServiceKit

/// A received datagram, valid during the handler's call: it lies in the receiver's buffer.
package struct Datagram: ~Copyable {
    /// The maximum length of a datagram of UDP.
    static let bytesMaximum = 65_535
    private static let zlibFirst: UInt8 = 0x78
    private static let gzipFirst: UInt8 = 0x1F

    package let sender: IPAddress
    private let bytes: UnsafeRawBufferPointer
    private let inflater: Inflater

    init(sender: IPAddress, bytes: UnsafeRawBufferPointer, inflater: Inflater) {
        self.sender = sender
        self.bytes = bytes
        self.inflater = inflater
    }

    /// The content, decompressed if it begins like zlib's or gzip's format; nil if it cannot be, or is too long.
    package func content() -> [UInt8]? {
        switch bytes.first {
        case Datagram.zlibFirst, Datagram.gzipFirst: inflater.inflate(bytes)
        default: Array(bytes)
        }
    }
}
