import CMicroHTTPD
import ServiceKit

/// A response in the library's memory, which keeps it for as long as it is being sent.
struct PreparedResponse: ~Copyable {
    private let pointer: OpaquePointer

    /// Nil when there is no memory for it.
    init?(_ response: HTTPResponse, closes: Bool, log: Log) {
        guard let pointer = PreparedResponse.body(response.body) else { return nil }
        self.pointer = pointer
        for field in response.headers where MHD_add_response_header(pointer, field.name, field.value) != .YES {
            log.error("a response header was left out: it is malformed or the server's own", [.reason: field.name])
        }
        if closes { MHD_add_response_header(pointer, "Connection", "close") }
    }

    deinit {
        MHD_destroy_response(pointer)
    }

    func withPointer<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        body(pointer)
    }

    private static func body(_ body: HTTPResponse.Body) -> OpaquePointer? {
        switch body {
        case .bytes(let bytes):
            return bytes.withUnsafeBytes { bytes in
                // The library only reads it: the type lacks a const, since another mode frees it.
                MHD_create_response_from_buffer(
                    bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
            }
        case .stream(let stream):
            let context = Unmanaged.passRetained(stream)
            // A small block: only HTTP/1.0 clients are served from it, chunks are made in the connection's own memory.
            let pointer = MHD_create_response_from_callback(
                UInt64.max, 1_024, readStream, context.toOpaque(), releaseStream)
            if pointer == nil { context.release() }
            return pointer
        }
    }
}

private func readStream(
    _ context: UnsafeMutableRawPointer?, _ position: UInt64, _ target: UnsafeMutablePointer<CChar>?, _ count: Int
) -> Int {
    guard let context else { return cmicrohttpd_end_with_error }
    let stream = Unmanaged<HTTPStream>.fromOpaque(context).takeUnretainedValue()
    switch stream.read(into: UnsafeMutableRawBufferPointer(start: target, count: count)) {
    case .bytes(let count): return count
    case .wait: return 0
    case .end: return cmicrohttpd_end_of_stream
    case .cut: return cmicrohttpd_end_with_error
    }
}

private func releaseStream(_ context: UnsafeMutableRawPointer?) {
    guard let context else { return }
    Unmanaged<HTTPStream>.fromOpaque(context).release()
}
