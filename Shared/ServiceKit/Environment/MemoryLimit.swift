import Glibc

/// Memory that this process may use before the kernel kills it.
package enum MemoryLimit {
    /// The smallest limit among the process' control groups, or the machine's memory.
    package static func bytes() -> Int {
        let machine = sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
        let cgroups = text("/proc/self/cgroup").map { paths(cgroups: $0) } ?? []
        return cgroups.compactMap { text($0).flatMap(limit) }.min().map { min($0, machine) } ?? machine
    }

    /// The files that may hold a limit, derived from `/proc/self/cgroup`: those of the group and of its ancestors, in
    /// version 2 (`0::/path`) and version 1 (`7:memory:/path`). Inside a container the root is the container's group.
    static func paths(cgroups text: String) -> [String] {
        text.split(separator: "\n").flatMap { line -> [String] in
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { return [] }
            if parts[1].isEmpty { return groups(parts[2]).map { "/sys/fs/cgroup\($0)/memory.max" } }
            guard parts[1].split(separator: ",").contains("memory") else { return [] }
            return groups(parts[2]).map { "/sys/fs/cgroup/memory\($0)/memory.limit_in_bytes" }
        }
    }

    /// Nil for `max`, and for the huge number that version 1 uses for "no limit".
    static func limit(_ text: String) -> Int? {
        guard let bytes = Int(text.prefix { $0.isASCII && $0.isNumber }), bytes < 1 << 62 else { return nil }
        return bytes
    }

    private static func groups(_ path: Substring) -> [String] {
        var groups = [""]
        for part in path.split(separator: "/") { groups.append("\(groups[groups.count - 1])/\(part)") }
        return groups
    }

    private static func text(_ path: String) -> String? {
        SmallFile.read(path, bytesMaximum: 64 << 10).map { OutsideText.replacing($0) }
    }
}
