import HTTP2
import ServiceKit

extension RequestHead {
    /// Checks the fields decoded by the library against the same rules as an HTTP/1 head.
    init(_ request: HTTP2RequestStream) throws(RequestError) {
        method = try RequestHead.reading(request.method, read: RequestHead.readMethod)
        target = try RequestHead.reading(request.path, read: RequestHead.readTarget)
        isHTTP11 = true
        headers = try RequestHead.readFields(request)
        try RequestHead.checkHost(headers, isHTTP11: true)
        // The library has checked that the length is a number and that the body matches it.
        let declared = try BodyFraming.decide(headers, isHTTP11: true).get()
        framing = request.isWhole ? .none : declared == .none ? .untilEnd : declared
        expectsContinue = try RequestHead.readExpectation(headers)
        keepsAlive = true
        try RequestHead.checkAsterisk(target, method: method)
    }

    private static func reading<Value>(
        _ bytes: [UInt8], read: (UnsafeRawBufferPointer) throws(RequestError) -> Value
    ) throws(RequestError) -> Value {
        try bytes.withUnsafeBytes { bytes in
            Result { () throws(RequestError) in try read(bytes) }
        }.get()
    }

    private static func readFields(_ request: HTTP2RequestStream) throws(RequestError) -> HTTPHeaders {
        var headers = HTTPHeaders(bytesOfHead: 0)
        var fault: RequestError?
        request.fields.forEachField { field in
            guard fault == nil else { return }
            let value = UnsafeRawBufferPointer(field.value)
            if headers.count >= fieldsMaximum {
                fault = .tooManyFields(countMaximum: fieldsMaximum)
            } else if !field.name.allSatisfy(HTTPToken.contains) || !FieldLine.isValue(value) {
                fault = .malformed("A header field is malformed.")
            } else if !OutsideText.isStreamSafe(value) {
                fault = .malformed("A header field \(OutsideText.problem).")
            } else {
                headers.append(name: UnsafeRawBufferPointer(field.name), value: value)
            }
        }
        if let fault { throw fault }
        // A proxy that converts from HTTP/1 may have kept the Host field.
        if !request.authority.isEmpty && !headers.contains("host") {
            Array("host".utf8).withUnsafeBytes { name in
                request.authority.withUnsafeBytes { headers.append(name: name, value: $0) }
            }
        }
        return headers
    }
}
