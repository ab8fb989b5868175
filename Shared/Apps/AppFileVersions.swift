import PushModel

/// Decides which version of each file is in effect, without I/O: the input is the content of the folder, the output the
/// effective apps and the problems.
///
/// A file that becomes invalid, or claims a value of another app, keeps its last valid version. An app whose file is
/// deleted is removed.
struct AppFileVersions: Sendable {
    enum Change: Equatable, Sendable {
        case added(AppID)
        case changed(AppID)
        case removed(AppID)
    }

    private struct Entry {
        let content: AppFolder.Content
        /// The parsed content; nil if it is invalid.
        let latest: PushApp?
        let faults: [AppProblem]
        var inForce: PushApp?
        /// Why `latest` is not in effect.
        var conflicts: [AppProblem] = []
    }

    private let folder: String
    private var entries: [String: Entry] = [:]
    private var folderFault: AppProblem?

    init(folder: String) {
        self.folder = folder
    }

    var apps: [PushApp] { entries.values.compactMap(\.inForce) }

    /// Sorted by file name.
    var problems: [AppProblem] {
        (folderFault.map { [$0] } ?? [])
            + entries.sorted { $0.key < $1.key }.flatMap { $0.value.faults + $0.value.conflicts }
    }

    /// Number of files whose current content is not in effect.
    var brokenFiles: Int { entries.values.filter { !($0.faults + $0.conflicts).isEmpty }.count }

    mutating func take(_ listing: AppFolder.Listing) -> [Change] {
        guard case .files(let files) = listing else {
            if case .unreadable(let reason) = listing { folderFault = .error(folder, field: "", message: reason) }
            return []
        }
        folderFault = nil
        guard entries.mapValues(\.content) != files else { return [] }
        let before = Dictionary(uniqueKeysWithValues: apps.map { ($0.id, $0) })
        entries = entries.filter { files[$0.key] != nil }
        for (name, content) in files where entries[name]?.content != content {
            entries[name] = entry(name, content: content, inForce: entries[name]?.inForce)
        }
        settle()
        return AppFileVersions.changes(from: before, to: Dictionary(uniqueKeysWithValues: apps.map { ($0.id, $0) }))
    }

    private func entry(_ name: String, content: AppFolder.Content, inForce: PushApp?) -> Entry {
        switch content {
        case .unreadable(let reason):
            return Entry(
                content: content, latest: nil, faults: [.error(name, field: "", message: reason)], inForce: inForce)
        case .bytes(let bytes):
            do {
                let id = try AppFolder.app(ofFile: name)
                let (app, faults) = AppReader.read(bytes, id: id, folder: folder)
                return Entry(content: content, latest: app, faults: faults, inForce: inForce)
            } catch {
                let fault = AppProblem.error(
                    name, field: "", message: "invalid app name before .json: \(error)")
                return Entry(content: content, latest: nil, faults: [fault], inForce: inForce)
            }
        }
    }

    /// Activates every valid version that does not conflict with another app. An existing owner of a value keeps it; of
    /// two new claims the first by file name wins.
    private mutating func settle() {
        var refused: [String: [AppProblem]] = [:]
        // A refused file falls back to its previous version, which may conflict with one accepted earlier in this
        // round: the round restarts without it. Each round refuses one more file, so the loop ends.
        while let (name, conflicts) = firstConflict(refused: Set(refused.keys)) { refused[name] = conflicts }
        for name in entries.keys {
            let conflicts = refused[name]
            entries[name]?.conflicts = conflicts ?? []
            if conflicts == nil, let latest = entries[name]?.latest { entries[name]?.inForce = latest }
        }
    }

    private func firstConflict(refused: Set<String>) -> (String, [AppProblem])? {
        var claims = AppClaims()
        let newcomers = entries.filter { name, entry in
            entry.latest != nil && entry.latest != entry.inForce && !refused.contains(name)
        }
        for (name, entry) in entries where newcomers[name] == nil {
            if let app = entry.inForce { claims.add(app) }
        }
        for (name, entry) in newcomers.sorted(by: { $0.key < $1.key }) {
            guard let app = entry.latest else { continue }
            let conflicts = claims.conflicts(of: app)
            guard conflicts.isEmpty else { return (name, conflicts) }
            claims.add(app)
        }
        return nil
    }

    private static func changes(from before: [AppID: PushApp], to after: [AppID: PushApp]) -> [Change] {
        Set(before.keys).union(after.keys).sorted().compactMap { id in
            switch (before[id], after[id]) {
            case (nil, _?): .added(id)
            case (_?, nil): .removed(id)
            case (let old, let new): old == new ? nil : .changed(id)
            }
        }
    }
}
