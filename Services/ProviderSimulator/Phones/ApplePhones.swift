import HTTPClient
import ServiceKit
import Synchronization

/// The simulated phones: reached by the pushes that Apple accepts, on its server's thread; changed and read by the
/// admin API; clients of their app's backend. A push to a token of no phone costs one look-up, and none while there are
/// no phones.
final class ApplePhones: Sendable {
    /// Further pushes are not delayed.
    static let latePushesMaximum = 1_000_000

    private struct State {
        var book: PhoneBook
        var payloads = LiveActivityPayloads()
        /// By the millisecond of the uptime when they arrive, each with a task that waits for it.
        var late: [Int64: [PhonePush]] = [:]
        var latePushes = 0
    }

    /// Work that an operation leaves to tasks.
    private struct Work {
        var arrivals: [(millisecond: Int64, delay: Duration)] = []
        var reportWorkers = 0
    }

    private let state: Mutex<State>
    private let client: HTTPClient
    /// For delays; the tokens have a source of their own, so that the same seed gives the same tokens.
    private let random: SeededRandomSource
    private let time: any TimeSource

    init(seed: UInt64, log: Log, time: any TimeSource = SystemTimeSource()) {
        state = Mutex(State(book: PhoneBook(random: SeededRandomSource(seed: seed))))
        random = SeededRandomSource(seed: seed)
        self.time = time
        var configuration = HTTPClientConfiguration(name: "phones")
        configuration.deadline = .seconds(10)
        client = HTTPClient(configuration: configuration, log: log, metrics: Metrics(), time: time)
    }

    func stop() async {
        removeAll()
        await client.close(within: .zero)
    }

    /// A push that Apple would accept otherwise.
    func receive(_ body: [UInt8], token: String, type: ApplePushType, now: Timestamp) throws(AppleError) {
        let work = try state.withLock { state throws(AppleError) -> Work? in
            guard let use = state.book.use(of: token) else { return nil }
            guard let target = try ApplePhones.target(use, type: type) else { return nil }
            let push = PhonePush(phone: use.phone, target: target, content: state.payloads.push(in: body))
            var work = Work()
            send(push, now: now, state: &state, work: &work)
            work.reportWorkers = state.book.reports.startWorkers()
            return work
        }
        if let work { begin(work) }
    }

    /// A broadcast, which reaches all phones that subscribed to the channel.
    func receive(_ body: [UInt8], onChannel channel: String, now: Timestamp) {
        let work = state.withLock { state in
            var work = Work()
            guard let subscribers = state.book.subscribers[channel] else { return work }
            let content = state.payloads.push(in: body)
            for (phone, serial) in subscribers {
                let push = PhonePush(phone: phone, target: .activity(serial), content: content)
                send(push, now: now, state: &state, work: &work)
            }
            return work
        }
        begin(work)
    }

    /// The number of phones by channel.
    var subscribers: [String: Int] { state.withLock { $0.book.subscribers.mapValues(\.count) } }

    private static func target(
        _ use: PhoneBook.TokenUse, type: ApplePushType
    ) throws(AppleError) -> PhonePush.Target? {
        switch use.kind {
        case .expired: throw .expiredToken
        case .unregistered: throw .unregistered
        case .device where type != .liveactivity: return nil
        case .pushToStart where type == .liveactivity: return .start
        case .activity where type == .liveactivity: return .activity(use.serial)
        case .device, .pushToStart, .activity: throw .deviceTokenNotForTopic
        }
    }

    /// Under the lock.
    private func send(_ push: PhonePush, now: Timestamp, state: inout State, work: inout Work) {
        guard let place = state.book.place(ofPhone: push.phone) else { return }
        let group = state.book.phones[place].group
        guard group.delay > .zero, state.latePushes < ApplePhones.latePushesMaximum, isChosen(group.reorder) else {
            return state.book.deliver(push, at: now)
        }
        let millisecond = (time.uptime + group.delay).wholeMilliseconds
        if state.late[millisecond] == nil { work.arrivals.append((millisecond, group.delay)) }
        state.late[millisecond, default: []].append(push)
        state.latePushes += 1
    }

    private func isChosen(_ share: Double) -> Bool {
        share > 0 && Double(random.next() >> 11) / Double(1 << 53) < share
    }

    private func begin(_ work: Work) {
        for arrival in work.arrivals {
            Task {
                try? await time.sleep(for: arrival.delay)
                deliverLate(arrival.millisecond)
            }
        }
        for _ in 0..<work.reportWorkers { Task { await report() } }
    }

    private func deliverLate(_ millisecond: Int64) {
        let now = time.now
        let work = state.withLock { state in
            let pushes = state.late.removeValue(forKey: millisecond) ?? []
            state.latePushes -= pushes.count
            for push in pushes { state.book.deliver(push, at: now) }
            return Work(reportWorkers: state.book.reports.startWorkers())
        }
        begin(work)
    }
}

extension ApplePhones {
    /// Returns the phones as the admin API shows new ones; nil if there would be too many.
    func add(_ count: Int, to group: PhoneGroup, activity: String?) -> String? {
        let (added, workers) = state.withLock { state in
            let added = state.book.add(count, to: group, activity: activity)
            return (added, state.book.reports.startWorkers())
        }
        begin(Work(reportWorkers: workers))
        return added.map { "[" + $0.map(\.newJSON).joined(separator: ",\n") + "]" }
    }

    func removeAll() {
        state.withLock { $0.book.removeAll() }
    }

    enum Selection: Sendable {
        case all
        /// Phones with these numbers.
        case some([Int])
    }

    /// Returns the number of phones with new tokens.
    func rotate(_ which: PhoneBook.RotatedToken, on selection: Selection) -> Int {
        change(selection) { book, place in book.rotate(which, on: place) }
    }

    /// Returns the number of phones whose user dismissed an activity.
    func dismissActivities(on selection: Selection) -> Int {
        change(selection) { book, place in book.dismissActivities(on: place) }
    }

    private func change(_ selection: Selection, operation: (inout PhoneBook, Int) -> Bool) -> Int {
        let (changed, workers) = state.withLock { state in
            let places =
                switch selection {
                case .all: Array(state.book.phones.indices)
                case .some(let numbers): numbers.compactMap { state.book.place(ofPhone: $0) }
                }
            let changed = places.count { operation(&state.book, $0) }
            return (changed, state.book.reports.startWorkers())
        }
        begin(Work(reportWorkers: workers))
        return changed
    }

    func contains(phone number: Int) -> Bool {
        state.withLock { $0.book.place(ofPhone: number) != nil }
    }

    func json(ofActivity activity: String?, limit: Int) -> String {
        state.withLock { $0.book.json(ofActivity: activity, limit: limit) }
    }

    func summary(ofActivity activity: String?) -> String {
        state.withLock { $0.book.summary(ofActivity: activity) }
    }
}

extension ApplePhones {
    private static let attemptsMaximum = 8
    private static let backoff = Backoff(first: .milliseconds(100), longest: .seconds(5))

    /// Makes reports until no phone waits.
    private func report() async {
        while let phone = state.withLock({ $0.book.reports.nextPhone() }) {
            while let report = state.withLock({ $0.book.nextReport(ofPhone: phone) }) { await make(report) }
        }
    }

    private func make(_ report: PhoneReport) async {
        var attempt = 1
        while true {
            switch PhoneReport.Result(of: await client.send(report.request), isRegistration: report.isRegistration) {
            case .made(let device):
                return state.withLock { $0.book.finish(report, device: device) }
            case .failed(let reason, let isRetriable):
                guard isRetriable, attempt < ApplePhones.attemptsMaximum else {
                    return state.withLock { $0.book.fail(report, reason: "\(report.name): \(reason)") }
                }
                try? await time.sleep(for: ApplePhones.backoff.delay(afterAttempt: attempt, random: random))
                attempt += 1
            }
        }
    }
}
