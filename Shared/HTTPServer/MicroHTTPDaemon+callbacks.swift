import CMicroHTTPD
import ServiceKit

// Called by the library on its threads. The context is the server's core, a connection's context is a retained
// `Connection`, a request's is a retained `Exchange`.

func changeConnection(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ change: MHD_ConnectionNotificationCode
) {
    guard let context, let connection, let slot else { return }
    let core = Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
    if change == .CONNECTION_NOTIFY_STARTED {
        let opened = core.opened(
            descriptor: cmicrohttpd_descriptor(connection), peer: SocketAddress.text(cmicrohttpd_peer(connection)))
        slot.pointee = Unmanaged.passRetained(opened).toOpaque()
    } else if let stored = slot.pointee {
        slot.pointee = nil
        core.closing(Unmanaged<Connection>.fromOpaque(stored).takeRetainedValue())
    }
}

/// The request line has been read; the target comes as the client wrote it, which the later callback no longer has.
func startRequest(
    _ context: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?, _ connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    guard let context, let target, let connection, let stored = cmicrohttpd_socket_context(connection) else {
        return nil
    }
    let core = Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
    let opened = Unmanaged<Connection>.fromOpaque(stored).takeUnretainedValue()
    opened.requestLineRead(at: core.time.uptime)
    let exchange = Exchange(
        target: String(cString: target), connection: opened, handle: ConnectionHandle(connection), core: core)
    return Unmanaged.passRetained(exchange).toOpaque()
}

/// Called with the complete header, with each part of the body, once more at the end of the request, and again when the
/// connection has been resumed.
func handleRequest(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?, _ decodedPath: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?, _ part: UnsafePointer<CChar>?,
    _ partBytes: UnsafeMutablePointer<Int>?, _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let context, let connection, let method, let version, let partBytes, let stored = slot?.pointee else {
        return .NO
    }
    let core = Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
    let exchange = Unmanaged<Exchange>.fromOpaque(stored).takeUnretainedValue()
    let outcome: Exchange.Outcome
    if !exchange.hasBegun {
        outcome = exchange.begin(
            RequestHead(
                method: HTTPMethod(rawValue: String(cString: method)), target: exchange.target,
                version: String(cString: version), headers: readHeaders(connection),
                bytes: cmicrohttpd_header_bytes(connection)))
    } else if partBytes.pointee > 0 {
        outcome = exchange.take(UnsafeRawBufferPointer(start: part, count: partBytes.pointee))
        partBytes.pointee = 0
    } else {
        outcome = exchange.advance()
    }
    switch outcome {
    case .proceed: return .YES
    case .close: return .NO
    case .send(let response): return send(response, of: exchange, on: connection, core)
    }
}

private func send(
    _ response: HTTPResponse, of exchange: Exchange, on connection: OpaquePointer, _ core: ServerCore
) -> MHD_Result {
    let closes = response.closesConnection || core.isDraining
    guard let prepared = PreparedResponse(response, closes: closes, log: core.log),
        ConnectionHandle(connection).queue(prepared, status: response.status)
    else {
        core.log.error("the library did not take a response", [.status: "\(response.status.code)"])
        response.stream?.leave()
        return .NO
    }
    exchange.answerQueued(response)
    return .YES
}

func endRequest(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, _ code: MHD_RequestTerminationCode
) {
    guard let slot, let stored = slot.pointee else { return }
    slot.pointee = nil
    Unmanaged<Exchange>.fromOpaque(stored).takeRetainedValue().end()
}

func logMessage(_ context: UnsafeMutableRawPointer?, _ message: UnsafePointer<CChar>) {
    guard let context else { return }
    let core = Unmanaged<ServerCore>.fromOpaque(context).takeUnretainedValue()
    core.log.debug("libmicrohttpd", [.error: String(cString: message)])
}

private func readHeaders(_ connection: OpaquePointer) -> HTTPHeaders {
    var headers = HTTPHeaders()
    withUnsafeMutablePointer(to: &headers) { target in
        _ = MHD_get_connection_values_n(connection, .HEADER_KIND, appendHeader, target)
    }
    return headers
}

private func appendHeader(
    _ context: UnsafeMutableRawPointer?, _ kind: MHD_ValueKind, _ name: UnsafePointer<CChar>?, _ nameBytes: Int,
    _ value: UnsafePointer<CChar>?, _ valueBytes: Int
) -> MHD_Result {
    guard let context else { return .NO }
    let headers = context.assumingMemoryBound(to: HTTPHeaders.self)
    headers.pointee.append(
        name: UnsafeRawBufferPointer(start: name, count: nameBytes),
        value: UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : valueBytes))
    return .YES
}
