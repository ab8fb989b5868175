import CCurl

/// libcurl's list of header lines; freed with its owner, which must outlive the transfer.
struct CurlHeaderList: ~Copyable {
    private(set) var pointer: UnsafeMutablePointer<curl_slist>?

    init(_ headers: [HTTPClientRequest.Header]) {
        for header in headers {
            // libcurl sends a header without a value only if it ends in a semicolon; with a colon it omits the header.
            append(header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)")
        }
        // Without a value these remove libcurl's own headers: a body needs no permission, and the caller sets its type.
        append("Expect:")
        if !headers.contains(where: { $0.name.lowercased() == "content-type" }) { append("Content-Type:") }
    }

    deinit {
        curl_slist_free_all(pointer)
    }

    private mutating func append(_ line: String) {
        guard let longer = curl_slist_append(pointer, line) else { preconditionFailure("out of memory for a header") }
        pointer = longer
    }
}
