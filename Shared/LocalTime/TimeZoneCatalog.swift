import Glibc
import ServiceKit
import Synchronization

/// The time zones of the system's tzdata, by name. A zone is read when it is first asked for and then cached, as is a
/// name that is unknown, so a new version of tzdata takes effect with the next start of the process.
///
/// Safe to use from any thread. A name that is not cached costs the reading of one file of a few KB, outside the lock.
package final class TimeZoneCatalog: Sendable {
    package static let systemFolder = "/usr/share/zoneinfo"
    /// All zones of tzdata need less than half of it.
    package static let cacheBytesMaximum = 4 << 20

    /// Known without any file.
    private static let utcNames: Set = ["UTC", "Etc/UTC"]
    private static let entryBytes = 256

    private let folder: String
    /// Nil for the name of no zone.
    private let cache: Mutex<RecentlyUsed<String, TimeZoneRules?>>

    package init(folder: String = systemFolder, cacheBytesMaximum: Int = cacheBytesMaximum) {
        self.folder = folder
        cache = Mutex(RecentlyUsed(costMaximum: cacheBytesMaximum))
    }

    /// Nil if no zone has this name, or if its file cannot be read.
    package func rules(named name: String) -> TimeZoneRules? {
        guard TimeZoneName.isPossible(name) else { return nil }
        if TimeZoneCatalog.utcNames.contains(name) { return .utc }
        if let cached = cache.withLock({ $0.value(for: name) }) { return cached }
        switch read(name) {
        case .zone(let rules):
            keep(rules, bytes: MemoryLayout<TimeZoneRules.Transition>.stride * rules.transitions.count, for: name)
            return rules
        case .absent:
            keep(nil, bytes: 0, for: name)
            return nil
        case .unreadable:
            return nil
        }
    }

    private func keep(_ rules: TimeZoneRules?, bytes: Int, for name: String) {
        cache.withLock { $0.set(rules, cost: TimeZoneCatalog.entryBytes + bytes, for: name) }
    }

    private enum Lookup {
        case zone(TimeZoneRules)
        case absent
        /// Not cached: the process may be out of descriptors, and the next attempt succeed.
        case unreadable
    }

    private func read(_ name: String) -> Lookup {
        guard let root = resolved(folder), let path = resolved("\(folder)/\(name)"),
            path.utf8.starts(with: "\(root)/".utf8), isFile(path)
        else { return .absent }
        guard let bytes = SmallFile.read(path, bytesMaximum: TimeZoneRules.bytesMaximum) else { return .unreadable }
        return TimeZoneRules(tzif: bytes).map { .zone($0) } ?? .absent
    }

    /// Without links, of which some lead out of the folder: `localtime` is the zone of the machine.
    private func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return OutsideText.replacing(cString: resolved)
    }

    /// Opening anything else might block. Larger files are no zones.
    private func isFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            && status.st_size <= TimeZoneRules.bytesMaximum
    }
}
