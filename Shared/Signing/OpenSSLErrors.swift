import COpenSSL

/// OpenSSL keeps a queue of errors for each thread.
enum OpenSSLErrors {
    /// The last error of this thread; empties its queue.
    static func take() -> String {
        defer { ERR_clear_error() }
        guard let reason = ERR_reason_error_string(ERR_peek_last_error()) else { return "no reason given" }
        return String(cString: reason)
    }
}
