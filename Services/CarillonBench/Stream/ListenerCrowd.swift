import Glibc
import ServiceKit

/// Many open streams, read by one thread. The last reference closes them.
final class ListenerCrowd {
    private static let patience: Int32 = 60_000

    private var descriptors: [Int32] = []
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)

    var count: Int { descriptors.count }

    deinit {
        for descriptor in descriptors { close(descriptor) }
    }

    /// Blocks until all have the head of a response.
    func open(_ count: Int, port: UInt16, request: String) throws {
        raiseLimit()
        let request = Array(request.utf8)
        while descriptors.count < count {
            let descriptor = LoopbackSocket.connect(port: port, patience: .seconds(30))
            guard descriptor >= 0 else {
                throw BenchError("stream \(descriptors.count) could not be opened: \(String(cString: strerror(errno)))")
            }
            descriptors.append(descriptor)
            guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count,
                recv(descriptor, &buffer, buffer.count, 0) > 0, buffer.starts(with: "HTTP/1.1 200".utf8)
            else { throw BenchError("stream \(descriptors.count) was refused: \(text(300))") }
        }
    }

    /// Milliseconds from the start of `begin` until each stream had an event.
    func measure(_ begin: () throws -> Void) throws -> [Double] {
        let time = SystemTimeSource()
        var waiting = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        var latencies: [Double] = []
        let began = time.uptime
        try begin()
        while latencies.count < waiting.count {
            guard poll(&waiting, nfds_t(waiting.count), ListenerCrowd.patience) > 0 else {
                throw BenchError("only \(latencies.count) of \(waiting.count) streams had the event")
            }
            for place in waiting.indices where waiting[place].revents != 0 {
                let count = recv(waiting[place].fd, &buffer, buffer.count, 0)
                guard count > 0 else { throw BenchError("a stream has ended") }
                guard text(count).contains("data:") else { continue }
                latencies.append((time.uptime - began) / .milliseconds(1))
                waiting[place].fd = -1
            }
        }
        return latencies
    }

    /// Reads and drops what the streams are sent within this time.
    func discard(within limit: Duration) throws {
        var readable = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        guard poll(&readable, nfds_t(readable.count), Int32(limit.wholeMilliseconds)) > 0 else { return }
        for one in readable where one.revents != 0 {
            guard recv(one.fd, &buffer, buffer.count, 0) > 0 else { throw BenchError("a stream has ended") }
        }
    }

    static func rest(_ time: Duration) {
        poll(nil, 0, Int32(time.wholeMilliseconds))
    }

    private func text(_ count: Int) -> String { String(decoding: buffer.prefix(count), as: UTF8.self) }

    private func raiseLimit() {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
