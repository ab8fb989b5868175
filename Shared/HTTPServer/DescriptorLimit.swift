import Glibc
import ServiceKit

/// How many files and sockets this process may have open.
enum DescriptorLimit {
    /// For what a service opens besides its clients' connections.
    private static let reserve = 256

    /// Raises the limit as far as allowed, since many systems start a process with room for a thousand.
    static func raise(toHold connections: Int, log: Log) {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        let wanted = rlim_t(connections + reserve)
        guard limit.rlim_cur < wanted else { return }
        limit.rlim_cur = min(wanted, limit.rlim_max)
        guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur == wanted else {
            log.warning(
                "the limit of open files is lower than the connections allowed",
                [.count: "\(limit.rlim_cur)"])
            return
        }
    }
}
