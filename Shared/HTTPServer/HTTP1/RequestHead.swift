import ServiceKit

/// A complete request head, valid by RFC 9110 and its protocol's RFC, with the facts derived from it alone.
///
/// Anything another server may interpret differently is rejected, not repaired: a proxy in front with the other
/// interpretation would treat the rest of one client's body as the request of another.
struct RequestHead {
    let method: HTTPMethod
    let target: RequestTarget
    let isHTTP11: Bool
    let headers: HTTPHeaders
    let framing: BodyFraming
    /// The client waits for 100 Continue before it sends the body.
    let expectsContinue: Bool
    /// True if the client wants to send further requests on this connection.
    let keepsAlive: Bool

    /// Limits the memory that each field costs besides its bytes; no real client sends more.
    static let fieldsMaximum = 128
    private static let methodBytesMaximum = 32

    /// `bytes` start with the request line and end with the empty line, as found by `HeadScanner`.
    static func parse(_ bytes: UnsafeRawBufferPointer) -> Result<RequestHead, RequestError> {
        do throws(RequestError) {
            return .success(try RequestHead(bytes))
        } catch {
            return .failure(error)
        }
    }

    private init(_ bytes: UnsafeRawBufferPointer) throws(RequestError) {
        var lines = HeadLines(bytes)
        let requestLine = lines.next() ?? UnsafeRawBufferPointer(rebasing: bytes[..<0])
        (method, target, isHTTP11) = try RequestHead.readRequestLine(requestLine)
        headers = try RequestHead.readFields(&lines, bytesOfHead: bytes.count)
        guard OutsideText.isStreamSafe(bytes) else {
            throw .malformed("A header field \(OutsideText.problem).")
        }
        try RequestHead.checkHost(headers, isHTTP11: isHTTP11)
        framing = try BodyFraming.decide(headers, isHTTP11: isHTTP11).get()
        expectsContinue = try RequestHead.readExpectation(headers)
        keepsAlive = RequestHead.keepsAlive(headers, isHTTP11: isHTTP11)
        try RequestHead.checkAsterisk(target, method: method)
    }

    static func checkAsterisk(_ target: RequestTarget, method: HTTPMethod) throws(RequestError) {
        guard target.segments != nil || method == .options else {
            throw .malformed("The request target is malformed.")
        }
    }

    private static func readRequestLine(
        _ line: UnsafeRawBufferPointer
    ) throws(RequestError) -> (HTTPMethod, RequestTarget, isHTTP11: Bool) {
        let space = UInt8(ascii: " ")
        guard let first = line.firstIndex(of: space), let last = line.lastIndex(of: space), first < last,
            !line[(first + 1)..<last].contains(space)
        else {
            throw .malformed("The request line is not a method, a target and a version with one space between them.")
        }
        let method = try readMethod(UnsafeRawBufferPointer(rebasing: line[..<first]))
        let isHTTP11 = try readVersion(UnsafeRawBufferPointer(rebasing: line[(last + 1)...]))
        return (method, try readTarget(UnsafeRawBufferPointer(rebasing: line[(first + 1)..<last])), isHTTP11)
    }

    static func readMethod(_ bytes: UnsafeRawBufferPointer) throws(RequestError) -> HTTPMethod {
        guard !bytes.isEmpty, bytes.count <= methodBytesMaximum, bytes.allSatisfy(HTTPToken.contains) else {
            throw .malformed("The method is not a token of at most \(methodBytesMaximum) bytes.")
        }
        return HTTPMethod(rawValue: String(decoding: bytes, as: UTF8.self))
    }

    static func readTarget(_ bytes: UnsafeRawBufferPointer) throws(RequestError) -> RequestTarget {
        guard let target = RequestTarget(bytes) else { throw .malformed("The request target is malformed.") }
        return target
    }

    private static func readVersion(_ bytes: UnsafeRawBufferPointer) throws(RequestError) -> Bool {
        guard bytes.count == 8, bytes.starts(with: "HTTP/".utf8), bytes[5].isASCIIDigit,
            bytes[6] == UInt8(ascii: "."), bytes[7].isASCIIDigit
        else { throw .malformed("The protocol version is malformed.") }
        guard bytes[5] == UInt8(ascii: "1"), bytes[7] <= UInt8(ascii: "1") else { throw .unknownVersion }
        return bytes[7] == UInt8(ascii: "1")
    }

    private static func readFields(
        _ lines: inout HeadLines, bytesOfHead: Int
    ) throws(RequestError) -> HTTPHeaders {
        var headers = HTTPHeaders(bytesOfHead: bytesOfHead)
        while let line = lines.next(), !line.isEmpty {
            guard headers.count < fieldsMaximum else { throw .tooManyFields(countMaximum: fieldsMaximum) }
            let (name, value) = try FieldLine.split(line)
            headers.append(name: name, value: value)
        }
        return headers
    }

    private static func keepsAlive(_ headers: HTTPHeaders, isHTTP11: Bool) -> Bool {
        guard headers.contains("connection") else { return isHTTP11 }
        let options = headers.values("connection").flatMap { $0.split(separator: ",") }.map { option in
            option.filter { $0 != " " && $0 != "\t" }.lowercased()
        }
        return isHTTP11 ? !options.contains("close") : options.contains("keep-alive")
    }

    static func checkHost(_ headers: HTTPHeaders, isHTTP11: Bool) throws(RequestError) {
        let hosts = headers.values("host")
        guard hosts.count == 1 || hosts.isEmpty && !isHTTP11 else {
            throw .malformed("The request must have exactly one Host field.")
        }
        guard hosts.allSatisfy({ $0.utf8.allSatisfy(isOfHost) }) else {
            throw .malformed("The Host field is malformed.")
        }
    }

    /// Characters that RFC 3986 allows in a host and a port. An empty host is allowed.
    private static func isOfHost(_ byte: UInt8) -> Bool {
        byte.isASCIILetterOrDigit || "-._~%!$&'()*+,;=:[]".utf8.contains(byte)
    }

    static func readExpectation(_ headers: HTTPHeaders) throws(RequestError) -> Bool {
        guard let expectation = headers["expect"] else { return false }
        guard expectation.lowercased() == "100-continue" else { throw .unknownExpectation }
        return true
    }
}

/// The lines of a head without their line ends; `HeadScanner` has checked that each is CR LF.
private struct HeadLines {
    private var rest: Slice<UnsafeRawBufferPointer>

    init(_ bytes: UnsafeRawBufferPointer) {
        rest = bytes[...]
    }

    mutating func next() -> UnsafeRawBufferPointer? {
        guard let end = rest.firstIndex(of: UInt8(ascii: "\n")), end > rest.startIndex else { return nil }
        defer { rest = rest[(end + 1)...] }
        return UnsafeRawBufferPointer(rebasing: rest[rest.startIndex..<(end - 1)])
    }
}

/// One line of a header, or of the trailer of a chunked body.
enum FieldLine {
    /// Some servers treat a line that starts with white space as a continuation, and a name with white space before its
    /// colon as a different name. Both are rejected, as RFC 9112 (5.1, 5.2) requires.
    static func split(
        _ line: UnsafeRawBufferPointer
    ) throws(RequestError) -> (name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        if let fault = fault(line) { throw fault }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { preconditionFailure("a field has a colon") }
        var value = line[(colon + 1)...]
        while let first = value.first, isBlank(first) { value.removeFirst() }
        while let last = value.last, isBlank(last) { value.removeLast() }
        return (UnsafeRawBufferPointer(rebasing: line[..<colon]), UnsafeRawBufferPointer(rebasing: value))
    }

    static func fault(_ line: UnsafeRawBufferPointer) -> RequestError? {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0,
            line[..<colon].allSatisfy(HTTPToken.contains)
        else { return .malformed("A header field has a malformed name.") }
        return isValue(line[(colon + 1)...])
            ? nil : .malformed("A header field has control characters in its value.")
    }

    static func isValue(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09
    }
}
