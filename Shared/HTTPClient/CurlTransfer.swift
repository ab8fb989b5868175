import CCurl
import Glibc
import ServiceKit

/// One request in progress: a libcurl handle and the state of its callbacks. Confined to the loop's thread, on which
/// libcurl invokes the callbacks.
final class CurlTransfer {
    let id: TransferQueue.ID
    let easy: UnsafeMutableRawPointer
    private let request: HTTPClientRequest
    private let headers: CurlHeaderList
    private let errorText: UnsafeMutablePointer<CChar>
    private var answer: AnswerIntake
    /// Number of attempts by libcurl to send it.
    private var beginnings = 0
    private var refusedAddress: IPAddress?
    private var hasOpenedSocket = false

    init(
        _ id: TransferQueue.ID, request: HTTPClientRequest, configuration: HTTPClientConfiguration
    ) {
        guard let easy = curl_easy_init() else { preconditionFailure("out of memory for a transfer") }
        self.id = id
        self.easy = easy
        self.request = request
        headers = CurlHeaderList(request.headers)
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        answer = AnswerIntake(
            bodyBytesMaximum: request.responseBytesMaximum ?? configuration.responseBytesMaximum)
        listen()
        describe()
        limit(configuration)
        secure(configuration)
    }

    deinit {
        curl_easy_cleanup(easy)
        errorText.deallocate()
    }

    static func of(_ easy: UnsafeMutableRawPointer) -> CurlTransfer {
        var context: UnsafeMutableRawPointer?
        _ = ccurl_easy_getinfo_pointer(easy, CURLINFO_PRIVATE, &context)
        guard let context else { preconditionFailure("a libcurl handle without a transfer") }
        return Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    }

    func end(_ code: CURLcode) -> TransferEnd {
        let text = String(cString: errorText)
        return TransferEnd(
            code: code, message: text.isEmpty ? String(cString: curl_easy_strerror(code)) : text, answer: answer,
            hasBegun: hasBegun, refusedAddress: hasOpenedSocket ? nil : refusedAddress)
    }

    /// True if the server may have received any of it.
    var hasBegun: Bool { beginnings > 0 }

    private func set(_ option: CURLoption, value: Int) {
        check(ccurl_easy_setopt_long(easy, option, value))
    }

    private func set(_ option: CURLoption, value: String?) {
        check(ccurl_easy_setopt_string(easy, option, value))
    }

    private func set(_ option: CURLoption, pointer: UnsafeMutableRawPointer?) {
        check(ccurl_easy_setopt_pointer(easy, option, pointer))
    }

    private func check(_ status: CURLcode) {
        precondition(
            status == CURLE_OK, "libcurl rejects an option: \(String(cString: curl_easy_strerror(status)))")
    }
}

// Options of the handle.
extension CurlTransfer {
    private func listen() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        set(CURLOPT_PRIVATE, pointer: context)
        set(CURLOPT_ERRORBUFFER, pointer: errorText)
        check(ccurl_easy_setopt_write_callback(easy, CURLOPT_HEADERFUNCTION, takeHeaderLine))
        set(CURLOPT_HEADERDATA, pointer: context)
        check(ccurl_easy_setopt_write_callback(easy, CURLOPT_WRITEFUNCTION, takeBodyPart))
        set(CURLOPT_WRITEDATA, pointer: context)
        check(ccurl_easy_setopt_opensocket_callback(easy, CURLOPT_OPENSOCKETFUNCTION, openPermittedSocket))
        set(CURLOPT_OPENSOCKETDATA, pointer: context)
        check(ccurl_easy_setopt_prereq_callback(easy, CURLOPT_PREREQFUNCTION, mayBegin))
        set(CURLOPT_PREREQDATA, pointer: context)
    }

    private func describe() {
        set(CURLOPT_URL, value: request.url)
        // Otherwise a segment `..`, which may be the name of a user, would shorten the path.
        set(CURLOPT_PATH_AS_IS, value: 1)
        set(CURLOPT_PROTOCOLS_STR, value: "http,https")
        check(ccurl_easy_setopt_list(easy, CURLOPT_HTTPHEADER, headers.pointer))
        set(CURLOPT_USERAGENT, value: "Carillon/\(CarillonVersion.current)")
        // An empty text disables proxies, whatever http_proxy and similar variables say.
        set(CURLOPT_PROXY, value: "")
        if request.url.lowercased().hasPrefix("https:") {
            set(CURLOPT_HTTP_VERSION, value: CURL_HTTP_VERSION_2TLS)
            // Requests to one host wait for its first connection and share it if it supports HTTP/2.
            set(CURLOPT_PIPEWAIT, value: 1)
        } else {
            set(CURLOPT_HTTP_VERSION, value: CURL_HTTP_VERSION_1_1)
        }
        if ![.get, .post].contains(request.method) { set(CURLOPT_CUSTOMREQUEST, value: request.method.rawValue) }
        guard [.post, .put, .patch].contains(request.method) else { return }
        set(CURLOPT_POST, value: 1)
        check(ccurl_easy_setopt_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body.count)))
        // An empty array has no address, and without an address libcurl would read the body from standard input.
        var body = request.body + [0]
        body.withUnsafeMutableBytes { set(CURLOPT_COPYPOSTFIELDS, pointer: $0.baseAddress) }
    }

    private func limit(_ configuration: HTTPClientConfiguration) {
        // Zero would select libcurl's default. The queue enforces the overall deadline.
        set(CURLOPT_CONNECTTIMEOUT_MS, value: max(1, Int(configuration.connectDeadline.wholeMilliseconds)))
        set(CURLOPT_NOSIGNAL, value: 1)
        // Detaches a hanging resolver thread; otherwise the loop, and with it all transfers, would wait for it.
        set(CURLOPT_QUICK_EXIT, value: 1)
    }

    private func secure(_ configuration: HTTPClientConfiguration) {
        set(CURLOPT_SSLVERSION, value: CURL_SSLVERSION_TLSv1_2)
        if let file = configuration.certificateFile { set(CURLOPT_SSLCERT, value: file) }
        if let file = configuration.privateKeyFile { set(CURLOPT_SSLKEY, value: file) }
        guard let file = configuration.authorityFile else { return }
        set(CURLOPT_CAINFO, value: file)
        // Otherwise the system's folder of authorities would be trusted in addition to the file.
        set(CURLOPT_CAPATH, value: nil)
    }
}

// State and decisions of the callbacks.
extension CurlTransfer {
    fileprivate func takeHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        answer.takeHeader(line: line)
    }

    fileprivate func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        answer.takeBody(bytes)
    }

    fileprivate func openSocket(_ target: UnsafePointer<curl_sockaddr>) -> curl_socket_t {
        let address = CurlTransfer.address(in: target)
        guard permits(address) else {
            refusedAddress = address
            return -1
        }
        hasOpenedSocket = true
        return socket(
            target.pointee.family, target.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue), target.pointee.protocol)
    }

    /// Called for every attempt to send, on a new or kept connection. The address is checked again, since a trusted
    /// request may have opened the connection. A request that libcurl would repeat on another connection, because this
    /// one was silent, is repeated only if it may be processed twice.
    fileprivate func begin(at address: IPAddress?) -> Bool {
        guard permits(address) else {
            refusedAddress = address
            return false
        }
        guard beginnings < (request.isRepeatable ? 2 : 1) else { return false }
        beginnings += 1
        return true
    }

    /// A target that is not a network address, such as a local path, is permitted only to the operator.
    private func permits(_ address: IPAddress?) -> Bool {
        guard case .untrusted(let policy) = request.destination else { return true }
        return address.map(policy.permits) ?? false
    }

    /// libcurl declares the shortest type of address and gives the actual length.
    private static func address(in pointer: UnsafePointer<curl_sockaddr>) -> IPAddress? {
        guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return nil }
        let start = UnsafeRawPointer(pointer) + offset
        return IPAddress(
            socketAddress: UnsafeRawBufferPointer(start: start, count: Int(pointer.pointee.addrlen)))
    }
}

private func takeHeaderLine(
    _ bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
    let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return transfer(context)?.takeHeader(line) == true ? line.count : 0
}

private func takeBodyPart(
    _ bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
    let part = UnsafeRawBufferPointer(start: bytes, count: size * count)
    return transfer(context)?.takeBody(part) == true ? part.count : 0
}

private func openPermittedSocket(
    _ context: UnsafeMutableRawPointer?, purpose: curlsocktype, address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let transfer = transfer(context), let address else { return -1 }
    return transfer.openSocket(address)
}

private func mayBegin(
    _ context: UnsafeMutableRawPointer?, remote: UnsafeMutablePointer<CChar>?,
    local: UnsafeMutablePointer<CChar>?, remotePort: Int32, localPort: Int32
) -> Int32 {
    let address = remote.flatMap { IPAddress(String(cString: $0)) }
    return transfer(context)?.begin(at: address) == true ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}

private func transfer(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
    context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
}
