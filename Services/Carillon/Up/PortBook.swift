import Glibc

/// Assigns ports, each once: the default port unless it is taken.
struct PortBook {
    /// Below the kernel's ephemeral range: an ephemeral port may be free now, and taken by an outgoing connection when
    /// its program starts to listen.
    private static let others: Range<UInt16> = 20_000..<30_000
    private static let attempts = 200

    /// Default ports that were taken, and their replacements.
    private(set) var replaced: [(usual: UInt16, given: UInt16)] = []
    /// Must be retained while the ports are in use.
    private(set) var reservations: [PortReservation] = []
    private let isFree: (UInt16) -> Bool

    init(isFree: @escaping (UInt16) -> Bool = PortBook.isFree) {
        self.isFree = isFree
    }

    mutating func take(usual: UInt16) throws(UpError) -> UInt16 {
        if give(usual) { return usual }
        for _ in 0..<PortBook.attempts {
            let other = UInt16.random(in: PortBook.others)
            guard give(other) else { continue }
            replaced.append((usual, other))
            return other
        }
        throw UpError("port \(usual) is taken, and no free port was found")
    }

    private mutating func give(_ port: UInt16) -> Bool {
        guard let reservation = PortReservation(port), isFree(port) else { return false }
        reservations.append(reservation)
        return true
    }

    /// True if a server can bind the port on loopback, even if another server has just exited.
    static func isFree(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var isReused: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isReused, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
