import Apps
import Bus
import PushModel
import RegistryLog
import ServiceKit
import Store

/// Takes over all subscribers of a pushd, in pages. Pages are processed concurrently; how far the import has come is
/// recorded in their order, so that the next run repeats a few pages at most. Memory is that of these pages.
struct PushdImport: Sendable {
    /// The places that pages reserve and give back must fit into the pool of the registry.
    static let pageUsual = 256
    static let pagesAtOnce = 4
    /// Pages that an earlier run may have done without having recorded it: those it had just settled, and those that it
    /// had started in their place.
    private static let pagesRepeated = 2 * pagesAtOnce

    let database: PushdDatabase
    let protocols: PushdProtocols
    let app: PushApp
    /// Nil for a dry run.
    let target: ImportTarget?
    let environment: WorkerEnvironment
    /// Subscribers in a page.
    let page: Int
    private let begun = BegunTopics()

    init(
        _ database: PushdDatabase, protocols: PushdProtocols, into app: PushApp, target: ImportTarget?,
        environment: WorkerEnvironment, page: Int = pageUsual
    ) {
        self.database = database
        self.protocols = protocols
        self.app = app
        self.target = target
        self.environment = environment
        self.page = page
    }

    private var patience: StorePatience { StorePatience(environment) }

    /// Where this run begins: after the pages of an earlier one that did not reach the end.
    func start() async throws -> ImportStart {
        guard let target, let recorded = try await target.progress.progress(of: app.id),
            let state = ImportState(recorded), state.source == database.address, !state.isComplete
        else { return ImportStart(state: ImportState(source: database.address), isContinued: false) }
        return ImportStart(state: state, isContinued: true)
    }

    /// Calls `note` after each page whose progress is recorded.
    func run(from start: ImportStart, _ note: (ImportState) -> Void) async throws -> ImportState {
        var state = start.state
        // If this run ends within its first pages, the next one must know that they may be done.
        try await record(state)
        try await withThrowingTaskGroup(of: (Int, ImportSummary).self) { group in
            var pages = ImportPages(after: state.last)
            var hasAdvanced = false
            while true {
                // Further pages are started before the progress is recorded, so that they need not wait for it.
                while pages.open < pagesAtOnce(after: pages), let ids = try await next(&pages) {
                    // The earlier run may have done pages that it had not recorded.
                    let isRepeated = start.isContinued && pages.started <= PushdImport.pagesRepeated
                    let number = pages.started
                    group.addTask { (number, try await take(ids, isRepeated: isRepeated)) }
                }
                if hasAdvanced {
                    try await record(state)
                    note(state)
                }
                guard pages.open > 0, let (number, summary) = try await group.next() else { break }
                pages.done(number, with: summary)
                hasAdvanced = pages.advance(&state)
            }
        }
        state.isComplete = true
        try await record(state)
        return state
    }

    /// With a maximum of devices, each page must see those of the page before. Without one the first page is alone: it
    /// begins most topics, and pages that begin the same topics concurrently do much of that in vain.
    private func pagesAtOnce(after pages: ImportPages) -> Int {
        app.limits.devices == nil && pages.settled > 0 ? PushdImport.pagesAtOnce : 1
    }

    private func next(_ pages: inout ImportPages) async throws -> [[UInt8]]? {
        guard !pages.isAtEnd else { return nil }
        try target?.checkRoom()
        let last = pages.last
        let ids = try await patience.perform { try await database.ids(after: last, limit: page) }
        return pages.start(ids) ? ids : nil
    }

    private func record(_ state: ImportState) async throws {
        guard let target else { return }
        try await patience.perform { try await target.progress.record(state.encoded, of: app.id) }
    }

    /// A page that is repeated may have been done in part.
    private func take(_ ids: [[UInt8]], isRepeated: Bool) async throws -> ImportSummary {
        var isRepeated = isRepeated
        return try await patience.perform {
            defer { isRepeated = true }
            return try await takeOnce(ids, isRepeated: isRepeated)
        }
    }

    private func takeOnce(_ ids: [[UInt8]], isRepeated: Bool) async throws -> ImportSummary {
        var summary = ImportSummary()
        summary.subscribers = ids.count
        var candidates: [Candidate] = []
        for subscriber in try await database.subscribers(ids) {
            guard let device = subscriber.device(protocols, noting: &summary) else { continue }
            candidates.append(Candidate(subscriber: subscriber, device: device))
        }
        candidates = try await withoutDuplicates(candidates, noting: &summary)
        guard let target else {
            for candidate in candidates { summary.count(candidate.device) }
            return summary
        }
        candidates = try await withinLimit(candidates, of: target, noting: &summary)
        try await begin(Set(candidates.flatMap(\.device.subscriptions.keys)), at: target)
        let verdicts = try await target.registry.take(candidates.map(\.device), in: app.id)
        for (candidate, verdict) in zip(candidates, verdicts) {
            switch verdict {
            case .created: summary.count(candidate.device)
            case .known(let known) where !candidate.isOrigin(of: known.device): summary.registered += 1
            case .known(let known):
                guard isRepeated else {
                    summary.takenBefore += 1
                    continue
                }
                if target.isLogged { try await complete(known.id, with: candidate.device, at: target) }
                summary.count(candidate.device)
            }
        }
        return summary
    }
}

/// A subscriber that is to be taken over.
private struct Candidate: Sendable {
    let subscriber: PushdSubscriber
    let device: TakenDevice

    /// True if the device has not changed since it was taken over from this subscriber.
    func isOrigin(of known: Device) -> Bool {
        known.created == device.created && known.updated == device.updated
    }
}

extension PushdImport {
    /// pushd writes subscriber and token in one transaction, but can leave a second subscriber behind; and one device
    /// may be subscribed under two names of a protocol, such as `gcm` and `c2dm`.
    private func withoutDuplicates(
        _ candidates: [Candidate], noting summary: inout ImportSummary
    ) async throws -> [Candidate] {
        var fields: [[UInt8]] = []
        var owners: [Int] = []
        for (place, candidate) in candidates.enumerated() {
            guard let name = candidate.subscriber.protocolName else { continue }
            for name in [name] + protocols.rivals(of: name) {
                guard let field = candidate.subscriber.tokenField(named: Array(name.utf8)) else { continue }
                fields.append(field)
                owners.append(place)
            }
        }
        let rivals = zip(owners, try await database.holders(fields)).compactMap { place, holder in
            holder.flatMap { $0 == candidates[place].subscriber.id ? nil : (place: place, id: $0) }
        }
        var others: [Int: [UInt8]] = [:]
        for (rival, exists) in zip(rivals, try await database.exist(rivals.map(\.id))) where exists {
            others[rival.place] = rival.id
        }
        var tokens: Set<PushToken> = []
        return candidates.enumerated().filter { place, candidate in
            let other = others[place]
            guard other != nil || !tokens.insert(candidate.device.token).inserted else { return true }
            let name = other.map { OutsideText.excerpt(OutsideText.replacing($0)) } ?? "another subscriber"
            summary.add(.duplicateToken, sample: "\(candidate.subscriber.name): \(name) has its token")
            return false
        }.map(\.element)
    }

    /// Known devices are never refused.
    private func withinLimit(
        _ candidates: [Candidate], of target: ImportTarget, noting summary: inout ImportSummary
    ) async throws -> [Candidate] {
        guard let maximum = app.limits.devices else { return candidates }
        var room = maximum - (try await target.registry.deviceCount(in: app.id))
        guard room < candidates.count else { return candidates }
        var admitted: [Candidate] = []
        for candidate in candidates {
            if try await target.registry.device(of: candidate.device.token, in: app.id) != nil {
                admitted.append(candidate)
            } else if room > 0 {
                admitted.append(candidate)
                room -= 1
            } else {
                summary.add(
                    .deviceLimit, sample: "\(candidate.subscriber.name): the app has \(maximum) devices")
            }
        }
        return admitted
    }

    private func begin(_ topics: Set<TopicName>, at target: ImportTarget) async throws {
        let missing = begun.missing(among: topics)
        guard !missing.isEmpty else { return }
        var counts = try await database.counts(of: missing)
        for topic in missing where counts[topic] == nil { counts[topic] = TopicCount(created: environment.time.now) }
        try await target.registry.begin(counts, in: app.id)
        begun.note(missing)
    }

    /// Adds subscriptions that are missing because some records of the device did not reach the log.
    private func complete(_ id: DeviceID, with device: TakenDevice, at target: ImportTarget) async throws {
        guard let present = try await target.registry.subscriptions(of: id, in: app.id) else { return }
        for (topic, options) in device.subscriptions where present[topic] == nil {
            _ = try await target.registry.subscribe(id, to: topic, options: options, in: app.id)
        }
    }
}

extension ImportSummary {
    fileprivate mutating func count(_ device: TakenDevice) {
        takenOver += 1
        subscriptions += device.subscriptions.count
        protocols[device.token.kind, default: 0] += 1
    }
}
