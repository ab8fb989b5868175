import ServiceKit

/// Reads a chunked body (RFC 9112, 7.1) from bytes that arrive in pieces. Extensions and the trailer are checked,
/// bounded and discarded.
struct ChunkedBody {
    enum Step: Equatable {
        /// More bytes are needed.
        case incomplete
        /// The body is complete; the number of the bytes that belonged to it.
        case complete(Int)
        case refused(RequestError)
    }

    private enum Place {
        case size
        case blank
        case extensions
        case sizeLineFeed
        case data
        case dataReturn
        case dataLineFeed
        case trailer
    }

    /// A size of fifteen digits cannot overflow; bodies are far smaller.
    private static let sizeDigitsMaximum = 15
    /// For all chunks of a body together.
    private static let extensionBytesMaximum = 4 << 10
    private static let trailerBytesMaximum = 4 << 10

    private var place = Place.size
    private var sizeDigits = 0
    private var left = 0
    private var extensionBytes = 0
    private var trailerBytes = 0
    private var trailerLine: [UInt8] = []

    /// Passes each part of the body to `take`, which returns an error if the part is rejected.
    mutating func read(
        _ bytes: UnsafeRawBufferPointer, take: (UnsafeRawBufferPointer) -> RequestError?
    ) -> Step {
        var offset = 0
        while offset < bytes.count {
            guard place != .data else {
                let part = UnsafeRawBufferPointer(rebasing: bytes[offset..<min(bytes.count, offset + left)])
                if let error = take(part) { return .refused(error) }
                offset += part.count
                left -= part.count
                if left == 0 { place = .dataReturn }
                continue
            }
            let byte = bytes[offset]
            offset += 1
            do throws(RequestError) {
                if try step(byte) { return .complete(offset) }
            } catch {
                return .refused(error)
            }
        }
        return .incomplete
    }

    /// True at the end of the body.
    private mutating func step(_ byte: UInt8) throws(RequestError) -> Bool {
        switch place {
        case .size: try readSize(byte)
        case .blank: try readBlank(byte)
        case .extensions: try readExtension(byte)
        case .sizeLineFeed:
            try check(byte, is: UInt8(ascii: "\n"))
            place = left > 0 ? .data : .trailer
        case .dataReturn:
            try check(byte, is: UInt8(ascii: "\r"))
            place = .dataLineFeed
        case .dataLineFeed:
            try check(byte, is: UInt8(ascii: "\n"))
            place = .size
        case .trailer: return try readTrailer(byte)
        case .data: preconditionFailure("data is taken in parts")
        }
        return false
    }

    private mutating func readSize(_ byte: UInt8) throws(RequestError) {
        guard let digit = byte.hexDigitValue else {
            guard sizeDigits > 0 else { throw ChunkedBody.malformed }
            switch byte {
            case UInt8(ascii: "\r"): place = .sizeLineFeed
            case UInt8(ascii: ";"): place = .extensions
            case 0x20, 0x09: place = .blank
            default: throw ChunkedBody.malformed
            }
            sizeDigits = 0
            return
        }
        if sizeDigits == 0 { left = 0 }
        sizeDigits += 1
        guard sizeDigits <= ChunkedBody.sizeDigitsMaximum else { throw ChunkedBody.malformed }
        left = left << 4 | Int(digit)
    }

    /// Blanks after a size are allowed only before an extension.
    private mutating func readBlank(_ byte: UInt8) throws(RequestError) {
        try countExtension()
        switch byte {
        case 0x20, 0x09: break
        case UInt8(ascii: ";"): place = .extensions
        default: throw ChunkedBody.malformed
        }
    }

    private mutating func readExtension(_ byte: UInt8) throws(RequestError) {
        guard byte != UInt8(ascii: "\r") else {
            place = .sizeLineFeed
            return
        }
        try countExtension()
        guard byte >= 0x20 && byte != 0x7F || byte == 0x09 else { throw ChunkedBody.malformed }
    }

    private mutating func countExtension() throws(RequestError) {
        extensionBytes += 1
        guard extensionBytes <= ChunkedBody.extensionBytesMaximum else {
            throw .malformed("The body's chunk extensions exceed \(ChunkedBody.extensionBytesMaximum) bytes.")
        }
    }

    private mutating func readTrailer(_ byte: UInt8) throws(RequestError) -> Bool {
        trailerBytes += 1
        guard trailerBytes <= ChunkedBody.trailerBytesMaximum else {
            throw .headerTooLarge(bytesMaximum: ChunkedBody.trailerBytesMaximum)
        }
        guard byte == UInt8(ascii: "\n") else {
            trailerLine.append(byte)
            return false
        }
        guard trailerLine.popLast() == UInt8(ascii: "\r") else { throw ChunkedBody.malformed }
        guard !trailerLine.isEmpty else { return true }
        if let error = trailerLine.withUnsafeBytes({ FieldLine.fault($0) }) { throw error }
        trailerLine.removeAll(keepingCapacity: true)
        return false
    }

    private func check(_ byte: UInt8, is wanted: UInt8) throws(RequestError) {
        guard byte == wanted else { throw ChunkedBody.malformed }
    }

    private static let malformed = RequestError.malformed("The chunks of the body are malformed.")
}
