import CMicroHTTPD

/// The library's connection. It stays valid while it is suspended, and a suspended one is touched only to resume it.
///
/// `@unchecked Sendable`: resuming is the one call made from other threads, and the library allows it from any.
struct ConnectionHandle: @unchecked Sendable {
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
    }

    /// On the library's thread, from one of its callbacks.
    func suspend() {
        MHD_suspend_connection(pointer)
    }

    func resume() {
        MHD_resume_connection(pointer)
    }

    /// On the library's thread. False when the library has no memory left for it.
    func queue(_ response: borrowing PreparedResponse, status: HTTPStatus) -> Bool {
        response.withPointer { MHD_queue_response(pointer, UInt32(status.code), $0) == .YES }
    }
}
