import Glibc
import ServiceKit

/// Limit of open files and sockets of this process.
enum DescriptorLimit {
    /// Descriptors that a service needs besides its client connections.
    private static let reserve = 256

    /// Raises the limit as far as allowed, since many systems start a process with a limit of about a thousand.
    static func raise(toHold connections: Int, log: Log) {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        let wanted = rlim_t(connections + reserve)
        guard limit.rlim_cur < wanted else { return }
        limit.rlim_cur = min(wanted, limit.rlim_max)
        guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur == wanted else {
            log.warning(
                "limit of open files below the maximum number of connections",
                [.count: "\(limit.rlim_cur)"])
            return
        }
    }
}
