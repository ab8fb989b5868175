import CMicroHTTPD
import Glibc
import ServiceKit

/// The running library: its threads accept, read, write, and call back.
///
/// `@unchecked Sendable`: `daemon` and `options` are set once and belong to the one caller of `quiesce` and `stop`.
final class MicroHTTPDaemon: @unchecked Sendable {
    let port: UInt16
    private let daemon: OpaquePointer
    private let options: UnsafeMutablePointer<cmicrohttpd_options>
    private let context: Unmanaged<ServerCore>

    init(core: ServerCore) throws(HTTPServerError) {
        let configuration = core.configuration
        guard let address = SocketAddress(configuration.address, port: configuration.port) else {
            throw HTTPServerError(.addressInvalid, "\(configuration.address) is no IPv4 or IPv6 address")
        }
        context = Unmanaged.passRetained(core)
        options = .allocate(capacity: 1)
        options.initialize(to: MicroHTTPDaemon.options(configuration, context: context.toOpaque()))
        options.pointee.is_ipv6 = address.isIPv6
        let started = address.withPointer { [options] pointer in
            options.pointee.address = pointer
            defer { options.pointee.address = nil }
            return cmicrohttpd_start(options)
        }
        guard let started else {
            let reason = String(cString: strerror(errno))
            options.deallocate()
            context.release()
            let cure =
                configuration.variablePrefix.map { "; set \($0)_ADDRESS and \($0)_PORT to what is free here" } ?? ""
            throw HTTPServerError(
                .listeningFailed,
                "cannot listen on \(configuration.address) port \(configuration.port): \(reason)\(cure)")
        }
        daemon = started
        port = cmicrohttpd_port(started)
    }

    private static func options(
        _ configuration: HTTPServerConfiguration, context: UnsafeMutableRawPointer
    ) -> cmicrohttpd_options {
        var options = cmicrohttpd_options()
        options.threads = UInt32(configuration.threads)
        options.connections_maximum = UInt32(configuration.connectionsMaximum)
        options.idle_seconds_maximum = UInt32(max(1, (configuration.idleTimeout.wholeMilliseconds + 999) / 1_000))
        options.connection_memory_bytes = configuration.connectionMemoryBytes
        options.handle_request = handleRequest
        options.start_request = startRequest
        options.end_request = endRequest
        options.change_connection = changeConnection
        options.log_message = logMessage
        options.context = context
        return options
    }

    /// Stops accepting; connections stay.
    func quiesce() {
        let descriptor = MHD_quiesce_daemon(daemon)
        if descriptor >= 0 { close(descriptor) }
    }

    /// Blocks until the library's threads have ended. No connection may be suspended.
    func stop() {
        MHD_stop_daemon(daemon)
        options.deallocate()
        context.release()
    }
}
