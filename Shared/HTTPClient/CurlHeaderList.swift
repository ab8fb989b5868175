import CCurl

/// libcurl's list of header lines; freed with its owner, which must outlive the transfer.
struct CurlHeaderList: ~Copyable {
    private(set) var pointer: UnsafeMutablePointer<curl_slist>?

    init(_ headers: [HTTPClientRequest.Header]) {
        for header in headers {
            // A semicolon is how libcurl wants a header without a value; with a colon it would leave it out.
            append(header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)")
        }
        // Without a value these mean "not that one of yours": a body needs no permission, and its type is the caller's.
        append("Expect:")
        if !headers.contains(where: { $0.name.lowercased() == "content-type" }) { append("Content-Type:") }
    }

    deinit {
        curl_slist_free_all(pointer)
    }

    private mutating func append(_ line: String) {
        guard let longer = curl_slist_append(pointer, line) else { preconditionFailure("no memory for a header") }
        pointer = longer
    }
}
