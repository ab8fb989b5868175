import Glibc

/// Text from outside the process: bodies, headers, paths, files, messages on the bus.
///
/// Swift compares and hashes `String`s by canonical equivalence. For that it sorts each run of combining marks in time
/// quadratic in its length, so that a name of 28,000 marks blocks a core for seconds. Unicode's Stream-Safe Text Format
/// (UAX #15, section 13) exists for this reason: no real text has more than 30 combining marks in a row. Every decoder
/// makes its `String`s here, so that later code may compare and hash them in linear time.
@usableFromInline package enum OutsideText {
    package static let combiningMarksMaximum = 30

    /// Completes an error that starts with the field's name.
    package static let problem = "must be UTF-8 with at most \(combiningMarksMaximum) combining marks in a row"

    /// Nil if the bytes are not UTF-8, or have too many combining marks in a row.
    @inlinable package static func string(_ bytes: some Collection<UInt8>) -> String? {
        bytes.withContiguousStorageIfAvailable { string($0) } ?? Array(bytes).withUnsafeBufferPointer { string($0) }
    }

    @usableFromInline package static func string(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
        // Most texts are ASCII, where nothing needs to be validated, and decoding is faster than validating.
        if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
        return isStreamSafe(UnsafeRawBufferPointer(bytes)) ? String(validating: bytes, as: UTF8.self) : nil
    }

    /// The start of a text, for errors. Not counted in characters, since one may have any number of bytes.
    package static func excerpt(_ text: some StringProtocol) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(64)))
    }

    /// For texts that cannot be refused, such as header fields and program output: each broken sequence, and each
    /// combining mark beyond the limit in a row, becomes U+FFFD.
    package static func replacing(_ bytes: some Collection<UInt8>) -> String {
        let text = String(decoding: bytes, as: UTF8.self)
        guard !isStreamSafe(text) else { return text }
        var result = String.UnicodeScalarView()
        var marks = 0
        for scalar in text.unicodeScalars {
            marks = isMark(scalar) ? marks + 1 : 0
            result.append(marks > combiningMarksMaximum ? "\u{FFFD}" : scalar)
        }
        return String(result)
    }

    /// The same for a C string.
    package static func replacing(cString text: UnsafePointer<CChar>) -> String {
        replacing(UnsafeRawBufferPointer(start: text, count: strlen(text)))
    }

    /// True if the text can be compared in linear time. Latin text costs one check per byte.
    package static func isStreamSafe(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { isStreamSafe(UnsafeRawBufferPointer($0)) }
    }

    /// The same for UTF-8 bytes. Invalid bytes are allowed: they are decoded as far as possible, and so is the `String`
    /// made of them later.
    package static func isStreamSafe(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let first = bytes.firstIndex(where: { $0 >= firstByteOfMarks }) else { return true }
        var decoder = UTF8()
        var rest = bytes[first...].makeIterator()
        var marks = 0
        while true {
            switch decoder.decode(&rest) {
            case .scalarValue(let scalar):
                marks = isMark(scalar) ? marks + 1 : 0
                if marks > combiningMarksMaximum { return false }
            // A broken sequence is not a combining mark.
            case .error: marks = 0
            case .emptyInput: return true
            }
        }
    }

    /// The first byte of U+0300; no combining mark precedes it.
    private static let firstByteOfMarks: UInt8 = 0xCC

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x300 && scalar.properties.canonicalCombiningClass != .notReordered
    }
}
