import COpenSSL

/// OpenSSL keeps a queue of errors for each thread.
enum TLSErrors {
    /// Empties this thread's queue and returns its errors, oldest first.
    static func take() -> String {
        var reasons: [String] = []
        while case let code = ERR_get_error(), code != 0 {
            if let reason = ERR_reason_error_string(code) { reasons.append(String(cString: reason)) }
        }
        return reasons.isEmpty ? "no reason given" : reasons.joined(separator: ", ")
    }
}
