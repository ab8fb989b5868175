import Glibc

/// Finds the end of a request's head in bytes that arrive in pieces. Rejects line ends that two servers may interpret
/// differently: RFC 9112 (2.2) allows a lone LF as a line end, and behind a proxy that does not accept it, the server
/// would see a different request.
struct HeadScanner {
    enum Step: Equatable {
        case incomplete
        /// Length of the head in bytes, including the empty line that ends it.
        case complete(Int)
        case refused(RequestError)
    }

    private let bytesMaximum: Int
    /// Bytes scanned in earlier calls, so that a head that arrives byte by byte costs no more than its length.
    private var scanned = 0
    private var lineStart = 0
    /// RFC 9112, 2.2: one empty line before the request line is ignored; more are rejected.
    private(set) var emptyLineBytes = 0

    init(bytesMaximum: Int) {
        self.bytesMaximum = bytesMaximum
    }

    /// True if bytes of a head have been seen.
    var hasBegun: Bool { scanned > 0 }

    /// `bytes` are all bytes from the start of the head.
    mutating func scan(_ bytes: UnsafeRawBufferPointer) -> Step {
        if let first = bytes.first, first != UInt8(ascii: "\r"), !HTTPToken.contains(first) {
            return .refused(.malformed("The request does not begin with a method."))
        }
        while let lineEnd = nextLineFeed(in: bytes) {
            guard lineEnd > 0, bytes[lineEnd - 1] == UInt8(ascii: "\r") else {
                return .refused(.malformed("A line of the header ends without a carriage return."))
            }
            let isEmpty = lineEnd - 1 == lineStart
            scanned = lineEnd + 1
            guard scanned <= bytesMaximum else { return .refused(.headerTooLarge(bytesMaximum: bytesMaximum)) }
            if isEmpty && lineStart > emptyLineBytes { return .complete(scanned) }
            if isEmpty {
                guard emptyLineBytes == 0 else {
                    return .refused(.malformed("There is more than one empty line before the request."))
                }
                emptyLineBytes = scanned
            }
            lineStart = scanned
        }
        scanned = bytes.count
        return scanned < bytesMaximum ? .incomplete : .refused(.headerTooLarge(bytesMaximum: bytesMaximum))
    }

    private func nextLineFeed(in bytes: UnsafeRawBufferPointer) -> Int? {
        guard let start = bytes.baseAddress, scanned < bytes.count,
            let found = memchr(start + scanned, Int32(UInt8(ascii: "\n")), bytes.count - scanned)
        else { return nil }
        return start.distance(to: UnsafeRawPointer(found))
    }
}
