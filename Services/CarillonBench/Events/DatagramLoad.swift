import Glibc
import ServiceKit

/// Datagrams with events, sent at a steady rate from this machine.
struct DatagramLoad: Sendable {
    private static let tick = Duration.milliseconds(2)
    /// Names of events; nothing is subscribed to them.
    private static let names = 100
    private static let garbageBytesMaximum = 1_400

    enum Content: Sendable {
        case events
        /// Random bytes, of which half begin like compressed ones.
        case garbage
    }

    let rate: Int
    let duration: Duration
    var content = Content.events

    /// Returns the number of datagrams that the kernel took.
    func run(port: UInt16) async throws -> Int {
        try await onNativeThread("datagrams") { Result { try send(to: port) } }.get()
    }

    /// One datagram.
    static func sendOne(to port: UInt16) throws {
        let descriptor = try connected(to: port)
        defer { close(descriptor) }
        _ = send(event(0), to: descriptor)
    }

    /// A port that is free now; another program may take it.
    static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = loopback(port: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard isBound else { throw BenchError("no free port: \(String(cString: strerror(errno)))") }
        return UInt16(bigEndian: address.sin_port)
    }

    private func send(to port: UInt16) throws -> Int {
        let descriptor = try DatagramLoad.connected(to: port)
        defer { close(descriptor) }
        let datagrams = (0..<DatagramLoad.names).map { number in
            switch content {
            case .events: DatagramLoad.event(number)
            case .garbage: DatagramLoad.garbage(number)
            }
        }
        let time = SystemTimeSource()
        let began = time.uptime
        var sent = 0
        while true {
            let elapsed = time.uptime - began
            guard elapsed < duration else { return sent }
            let due = Int(elapsed / .seconds(1) * Double(rate))
            while sent < due {
                guard DatagramLoad.send(datagrams[sent % datagrams.count], to: descriptor) else {
                    throw BenchError("a datagram was refused: \(String(cString: strerror(errno)))")
                }
                sent += 1
            }
            usleep(UInt32(DatagramLoad.tick / .microseconds(1)))
        }
    }

    private static func event(_ number: Int) -> [UInt8] {
        Array("POST /event/bench-\(number)?msg=%24%7Bvar.name%7D+sent+a+video&var.name=John&data.id=1k3dxk".utf8)
    }

    private static func garbage(_ number: Int) -> [UInt8] {
        let compressed: [[UInt8]] = [[], [0x78, 0x9C], [], [0x1F, 0x8B, 8]]
        let random = (0..<Int.random(in: 0...DatagramLoad.garbageBytesMaximum)).map { _ in UInt8.random(in: 0...255) }
        return compressed[number % compressed.count] + random
    }

    private static func send(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        Glibc.send(descriptor, bytes, bytes.count, 0) == bytes.count
    }

    private static func connected(to port: UInt16) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = loopback(port: port)
        let isConnected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else { throw BenchError("no socket: \(String(cString: strerror(errno)))") }
        return descriptor
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
