import PushModel

/// Which version of each file is in force. Decides and does nothing: what was found in the folder goes in, the apps that
/// count and what is wrong come out.
///
/// A file that becomes wrong, or claims what another app has, keeps its last good version; an app whose file is gone is
/// gone.
struct AppShelf: Sendable {
    enum Change: Equatable, Sendable {
        case added(AppID)
        case changed(AppID)
        case removed(AppID)
    }

    private struct Entry {
        let content: AppFolder.Content
        /// What the content says; nil when it is wrong.
        let latest: PushApp?
        let faults: [AppProblem]
        var inForce: PushApp?
        /// Why `latest` could not take its place.
        var conflicts: [AppProblem] = []
    }

    private let folder: String
    private var entries: [String: Entry] = [:]
    private var folderFault: AppProblem?

    init(folder: String) {
        self.folder = folder
    }

    var apps: [PushApp] { entries.values.compactMap(\.inForce) }

    /// In the order of the files.
    var problems: [AppProblem] {
        (folderFault.map { [$0] } ?? [])
            + entries.sorted { $0.key < $1.key }.flatMap { $0.value.faults + $0.value.conflicts }
    }

    /// Files whose content is not what counts.
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
        return AppShelf.changes(from: before, to: Dictionary(uniqueKeysWithValues: apps.map { ($0.id, $0) }))
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
                    name, field: "", message: "the name before .json is the app's and \(error)")
                return Entry(content: content, latest: nil, faults: [fault], inForce: inForce)
            }
        }
    }

    /// Puts every good version in force that takes nothing from another app. Who has something keeps it; of two newcomers
    /// the first by name gets it.
    private mutating func settle() {
        var refused: [String: [AppProblem]] = [:]
        // A newcomer that is refused falls back on its former version, which may be in the way of one accepted before
        // it: the round begins anew, without it. Each round refuses one more, so there is a last one.
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
