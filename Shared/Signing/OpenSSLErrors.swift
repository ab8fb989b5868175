import COpenSSL

/// OpenSSL keeps a queue of errors for each thread.
enum OpenSSLErrors {
    /// The last thing that went wrong on this thread; its queue is empty afterwards.
    static func take() -> String {
        defer { ERR_clear_error() }
        guard let reason = ERR_reason_error_string(ERR_peek_last_error()) else { return "no reason given" }
        return String(cString: reason)
    }
}
