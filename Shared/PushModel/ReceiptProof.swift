package import ServiceKit

/// What a push carries so that its device can prove a receipt: the day on which the life of its task began, and a code
/// for task, device and day. The code has 64 bits: it is checked online only, and a guess is refused.
package struct ReceiptProof: Hashable, Sendable, CustomStringConvertible {
    package static let codeBytes = 8
    /// Of the text in payloads and receipts.
    package static let textBytes = 14

    /// Days since 1970-01-01 UTC.
    package let day: UInt16
    /// The first bytes of the code, the highest first.
    package let code: UInt64

    package init(day: UInt16, code: UInt64) {
        self.day = day
        self.code = code
    }

    /// Nil if the text is not a proof.
    package init?(_ text: String) {
        guard text.utf8.count == ReceiptProof.textBytes, let bytes = Base64URL.decode(text) else { return nil }
        day = bytes[..<2].reduce(0) { $0 << 8 | UInt16($1) }
        code = bytes[2...].reduce(0) { $0 << 8 | UInt64($1) }
    }

    package var description: String {
        let codeBytes = stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: code >> UInt64($0)) }
        return Base64URL.encode(ReceiptProof.bytes(of: day) + codeBytes)
    }

    package static func bytes(of day: UInt16) -> [UInt8] { [UInt8(day >> 8), UInt8(day & 0xFF)] }

    package static func day(of moment: Timestamp) -> UInt16 {
        UInt16(clamping: max(0, moment.milliseconds) / dayMilliseconds)
    }

    package static func begin(of day: UInt16) -> Timestamp { Timestamp(milliseconds: Int64(day) * dayMilliseconds) }

    private static let dayMilliseconds: Int64 = 86_400_000
}
