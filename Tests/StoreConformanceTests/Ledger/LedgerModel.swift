import PushModel
import ServiceKit
import Store
import TestSupport

/// A resolver, two senders, a scheduler and a sweep process one task, step by step from a seed. The model keeps its own
/// record of the expected state, independent of the ledgers' answers.
struct LedgerModel {
    /// A message on the bus. It is delivered until it is acknowledged, and occasionally once more.
    struct Message {
        let segment: SegmentID
        let offsets: [UInt16]
        let attempt: UInt8
        var kind = ClaimRequest.Kind.attempt
    }

    /// A claim as recorded by its sender.
    struct Work {
        let request: ClaimRequest
        let segment: SegmentID
        var offsets: [UInt16]
    }

    struct Place: Hashable {
        let segment: SegmentID
        let offset: UInt16
    }

    struct Holder {
        let claim: ClaimID
        var leaseEnd: Timestamp
    }

    struct ViolationError: Error, CustomStringConvertible {
        let description: String
    }

    let pair: LedgerPair
    let time: ManualTimeSource
    let random: SeededRandomSource
    let plan: TaskPlan
    let segments: [SegmentID]
    /// The devices that each job marks.
    let jobs: [[SegmentID: [UInt16]]]

    var messages: [Message] = []
    var works: [Work] = []
    var claims: UInt64 = 0
    var unresolved: Set<Int>
    var isCancelAsked = false
    var steps: [String] = []

    var marked: [SegmentID: Set<UInt16>] = [:]
    var ended: [Place: DeliveryState] = [:]
    var reported: Set<Place> = []
    /// Devices that a settlement ended.
    var providers: [PushProtocol: OutcomeCounts] = [:]
    var badges: Set<Place> = []
    var holders: [Place: Holder] = [:]

    init(seed: UInt64, pair: LedgerPair, time: ManualTimeSource) {
        let random = SeededRandomSource(seed: seed)
        let app = Samples.freshApp()
        // Segments of one device, of a few, one near the limit between the two encodings, and one of any size.
        let segments = (0..<4).map { SegmentID(app, number: SegmentNumber(rawValue: $0)) }
        let sizes = [2, 1 + Int(random.next() % 6), 660 + Int(random.next() % 60), 1 + Int(random.next() % 800)]
        jobs = (0..<4).map { job in
            var parts: [SegmentID: [UInt16]] = [:]
            for (segment, size) in zip(segments, sizes) where job == 0 || random.next() % 2 == 0 {
                let stride = UInt64(max(1, 4_096 / size))
                let devices = (0..<size).map { UInt16(UInt64($0) * stride % 4_096) }
                parts[segment] = size == 2 ? [devices[min(job, 1)]] : devices.filter { _ in random.next() % 4 != 0 }
            }
            return parts
        }
        self.pair = pair
        self.time = time
        self.random = random
        self.segments = segments
        unresolved = Set(jobs.indices)
        plan = TaskPlan(
            app: app, jobs: jobs.count, isFast: seed % 3 == 0,
            deadline: time.now + .seconds(60 + Int64(random.next() % 400)),
            policy: seed % 2 == 0 ? .atLeastOnce : .atMostOnce)
    }

    mutating func step() async throws {
        switch roll(100) {
        case 0..<10: try await mark()
        case 10..<14: try await resolve()
        case 14..<17: try await `defer`()
        case 17..<42: try await claim()
        case 42..<47: try await repeatClaim()
        case 47..<72: try await settle()
        case 72..<77: crash()
        case 77..<81: try await renew()
        case 81..<91: advance()
        case 91..<92: try await cancel()
        case 92..<95: try await noteReported()
        default: try await sweep()
        }
    }

    mutating func finish() async throws {
        note("the end")
        for job in unresolved {
            for segment in jobs[job].keys.sorted(by: { $0.number < $1.number }) {
                try await mark(job, segment: segment)
            }
        }
        for job in jobs.indices { try await pair.resolve(job) }
        unresolved = []
        time.advance(by: .seconds(700))
        try await sweep()
        let end = try await pair.ask { try await $0.progress(of: pair.task) }
        guard let end, end.closed != nil, end.counts.open == 0 else { throw violation("the task does not close") }
        var sums = StateCounts()
        for segment in segments { sums.add(try await check(segment)) }
        guard sums == end.counts, sums.targeted == marked.values.map(\.count).reduce(0, +) else {
            throw violation("the sums are \(end.counts)")
        }
        guard end.providers == providers else { throw violation("the sums by provider are \(end.providers)") }
    }

    private func roll(_ sides: Int) -> Int { Int(random.next() % UInt64(sides)) }

    private mutating func note(_ step: String) { steps.append(step) }

    func violation(_ text: String) -> ViolationError {
        ViolationError(description: "\(text)\nafter\n\(steps.suffix(25).joined(separator: "\n"))")
    }
}

// MARK: The resolver

extension LedgerModel {
    private mutating func mark() async throws {
        let job = roll(jobs.count)
        guard let segment = jobs[job].keys.sorted(by: { $0.number < $1.number }).randomElement(random) else { return }
        try await mark(job, segment: segment)
    }

    private mutating func mark(_ job: Int, segment: SegmentID) async throws {
        let offsets = jobs[job][segment] ?? []
        note("job \(job) marks \(offsets.count) in \(segment.number)")
        let verdict = try await pair.ask { try await $0.mark(SegmentSet(offsets), of: pair.task, in: segment) }
        if verdict != .missing { marked[segment, default: []].formUnion(offsets) }
        switch verdict {
        case .missing:
            guard unresolved.isEmpty else { throw violation("a mark was refused before the last job") }
        case .cancelled:
            guard isCancelAsked else { throw violation("cancelled without a request") }
        case .open(let open):
            for part in open.offsets.chunks(of: 97) {
                messages.append(Message(segment: segment, offsets: Array(part), attempt: 0))
            }
            let states = try await pair.ask { try await $0.states(of: pair.task, in: segment) }?.states ?? [:]
            guard
                offsets.allSatisfy({ offset in
                    open.contains(offset) == states[offset].map { !$0.isTerminal && $0 != .deferred }
                })
            else {
                throw violation("the open devices differ from those returned for sending")
            }
        }
        try await check(segment)
    }

    /// Defers devices whose first message may be on its way as well. The message that releases them comes first.
    private mutating func `defer`() async throws {
        guard let message = messages.filter({ $0.attempt == 0 }).randomElement(random) else { return }
        let size = 1 + roll(message.offsets.count)
        let offsets = Array(message.offsets.suffix(size))
        note("\(size) of \(message.segment.number) are deferred")
        messages.append(Message(segment: message.segment, offsets: offsets, attempt: 0, kind: .deferral))
        if roll(5) == 0 { return }
        let causes = DeferralCause.allCases
        let groups = offsets.chunks(of: 1 + roll(size)).map { part in
            Deferral(
                offsets: Array(part), cause: causes[roll(causes.count)], due: time.now + .seconds(Int64(roll(3))))
        }
        let deferred = try await pair.ask { try await $0.defer(groups, of: pair.task, in: message.segment) }
        guard deferred.subtracting(SegmentSet(offsets)).isEmpty else { throw violation("other devices were deferred") }
        try await check(message.segment)
    }

    /// A job resolves after all its marks.
    private mutating func resolve() async throws {
        guard let job = unresolved.sorted().randomElement(random), roll(2) == 0 else { return }
        for segment in jobs[job].keys.sorted(by: { $0.number < $1.number }) { try await mark(job, segment: segment) }
        note("job \(job) is resolved")
        try await pair.resolve(job)
        _ = try await pair.ask { try await $0.isResolved(job: job, of: pair.task) }
        unresolved.remove(job)
    }

    private mutating func cancel() async throws {
        guard roll(4) == 0 else { return }
        let segment = segments[roll(segments.count)]
        note("cancel in \(segment.number)")
        let isClosed = try await pair.ask { try await $0.progress(of: pair.task)?.closed } != nil
        let ended = try await pair.ask { try await $0.cancel(pair.task, in: segment) }
        if !isClosed { isCancelAsked = true }
        for offset in ended.offsets { try end(offset, as: .cancelled, in: segment) }
        try await check(segment)
    }
}

// MARK: The senders

extension LedgerModel {
    private mutating func claim() async throws {
        // Small segments as often as large ones, and the newest message as often as any other, so that claims collide.
        let segment = segments[roll(segments.count)]
        let candidates = messages.indices.filter { messages[$0].segment == segment }
        guard let place = roll(2) == 0 ? candidates.last : candidates.randomElement(random) else { return }
        let message = messages[place]
        // Acknowledged, or delivered again later.
        if roll(4) != 0 { messages.remove(at: place) }
        let size = 1 + roll(min(64, message.offsets.count))
        let start = roll(message.offsets.count - size + 1)
        claims += 1
        let request = ClaimRequest(
            id: ClaimID(owner: UInt64(1 + roll(2)), number: claims),
            offsets: Array(message.offsets[start..<start + size]), attempt: message.attempt, lease: .seconds(30),
            countsBadge: true, kind: message.kind)
        try await claim(request, in: message.segment)
    }

    private mutating func repeatClaim() async throws {
        guard !works.isEmpty else { return }
        let work = works[roll(works.count)]
        note("repeated:")
        try await claim(work.request, in: work.segment)
    }

    private mutating func claim(_ request: ClaimRequest, in segment: SegmentID) async throws {
        note("\(request.id.number) claims \(request.offsets.count) of \(segment.number), attempt \(request.attempt)")
        let verdict = try await pair.ask { try await $0.claim(request, of: pair.task, in: segment) }
        guard case .answers(let answers) = verdict else { throw violation("the ledger is missing") }
        var mine: [UInt16] = []
        for (offset, answer) in zip(request.offsets, answers) {
            switch answer {
            case .claimed(let badge):
                try take(offset, request: request, badge: badge, in: segment)
                mine.append(offset)
            case .ended(let state):
                guard !reported.contains(Place(segment: segment, offset: offset)) else {
                    throw violation("\(offset) was already noted as reported")
                }
                try end(offset, as: state, in: segment)
            case .held(ClaimRequest.undeferredPause) where request.kind == .deferral:
                break
            case .held(let rest):
                let holder = holders[Place(segment: segment, offset: offset)]
                guard let holder, rest > .zero, holder.leaseEnd == time.now + rest else {
                    throw violation("\(offset) is reported as held for \(rest) but has no such holder")
                }
            case .unmarked: throw violation("\(offset) was marked")
            case .reported:
                let place = Place(segment: segment, offset: offset)
                guard reported.contains(place), ended[place] != nil else {
                    throw violation("\(offset) was never noted as reported")
                }
            case .superseded: break
            case .capped: throw violation("\(offset) has no cap")
            }
        }
        if !mine.isEmpty { works.append(Work(request: request, segment: segment, offsets: mine)) }
        try await check(segment)
    }

    private mutating func take(
        _ offset: UInt16, request: ClaimRequest, badge: UInt32?, in segment: SegmentID
    ) throws {
        let place = Place(segment: segment, offset: offset)
        guard ended[place] == nil else { throw violation("\(offset) had ended") }
        if let holder = holders[place], holder.claim != request.id, holder.leaseEnd > time.now {
            throw violation("\(offset) has two living holders")
        }
        guard badge == 1 else { throw violation("\(offset) shows \(badge ?? 0)") }
        if isCancelAsked || time.now >= plan.deadline { try guardRepeat(place, request: request) }
        holders[place] = Holder(claim: request.id, leaseEnd: time.now + request.lease)
    }

    /// After the deadline a claim succeeds only for the current holder. A cancel applies to the segments for which it
    /// was requested and to those marked later; others are not checked.
    private func guardRepeat(_ place: Place, request: ClaimRequest) throws {
        guard time.now >= plan.deadline, holders[place]?.claim != request.id else { return }
        throw violation("\(place.offset) is sent after the deadline")
    }

    /// Settles part of a claim in up to three groups; also for a sender that was considered dead.
    private mutating func settle() async throws {
        guard !works.isEmpty else { return }
        let index = roll(works.count)
        let work = works[index]
        let size = roll(2) == 0 ? work.offsets.count : 1 + roll(work.offsets.count)
        var parts: [[UInt16]] = [[], [], []]
        let groupCount = 1 + roll(3)
        for offset in work.offsets.prefix(size) { parts[roll(groupCount)].append(offset) }
        let groups = parts.filter { !$0.isEmpty }.map { group($0, of: work) }
        note("\(work.request.id.number) settles \(size) of \(work.segment.number)")
        let settlement = Settlement(claim: work.request.id, groups: groups)
        // The retry is sent before the device is set to waiting; the sender may crash in between.
        for group in groups where group.state == .waiting {
            messages.append(Message(segment: work.segment, offsets: group.offsets, attempt: group.attempt))
        }
        if groups.contains(where: { $0.state == .waiting }), roll(4) == 0 {
            note("and crashes before settling")
            works.remove(at: index)
            if roll(2) == 0 { time.advance(by: .seconds(30)) }
            return
        }
        let verdict = try await pair.ask { try await $0.settle(settlement, of: pair.task, in: work.segment) }
        guard case .settled(let refused) = verdict else { throw violation("the ledger is missing") }
        for group in groups {
            for offset in group.offsets where !refused.contains(offset) {
                try released(offset, by: work)
                guard group.state.isTerminal else { continue }
                try end(offset, as: group.state, in: work.segment)
                if let provider = group.provider { providers[provider, default: OutcomeCounts()][group.state] += 1 }
            }
        }
        // Occasionally settled twice.
        if roll(5) != 0 { works[index].offsets.removeFirst(size) }
        if works[index].offsets.isEmpty { works.remove(at: index) }
        try await check(work.segment)
    }

    /// Notes some outcomes of a segment as reported; sometimes again.
    private mutating func noteReported() async throws {
        let segment = segments[roll(segments.count)]
        let places = ended.keys.filter { $0.segment == segment }.map(\.offset).sorted()
        guard !places.isEmpty else { return }
        let start = roll(places.count)
        let devices = Array(places[start..<min(places.count, start + 1 + roll(64))])
        note("\(devices.count) of \(segment.number) are noted as reported")
        _ = try await pair.ask {
            try await $0.noteReported(SegmentSet(devices), of: pair.task, in: segment)
            return true
        }
        reported.formUnion(devices.map { Place(segment: segment, offset: $0) })
        try await check(segment)
    }

    private func group(_ offsets: [UInt16], of work: Work) -> Settlement.Group {
        let states: [DeliveryState] = [.delivered, .delivered, .delivered, .failed, .invalid, .waiting, .waiting]
        let state = states[roll(states.count)]
        let isTriedAgain = state == .waiting && roll(2) == 0 && work.request.attempt < 200
        return Settlement.Group(
            offsets: offsets, state: state, attempt: work.request.attempt + (isTriedAgain ? 1 : 0),
            status: UInt16(roll(600)), reason: roll(2) == 0 ? "" : "reason \(roll(1_000))",
            provider: [nil, .apns, .fcm, .http][roll(4)])
    }

    private mutating func released(_ offset: UInt16, by work: Work) throws {
        let place = Place(segment: work.segment, offset: offset)
        guard holders[place]?.claim == work.request.id else { throw violation("\(offset) was held by another") }
        holders[place] = nil
    }

    /// A sender crashes and loses its claims.
    private mutating func crash() {
        let owner = UInt64(1 + roll(2))
        note("sender \(owner) crashes")
        // Settlements that were sent before the crash may still arrive.
        works = works.filter { $0.request.id.owner != owner || random.next() % 5 == 0 }
    }

    private mutating func renew() async throws {
        guard !works.isEmpty else { return }
        let work = works[roll(works.count)]
        note("\(work.request.id.number) renews")
        let isHeld = try await pair.ask {
            try await $0.renew(work.request.id, for: .seconds(30), of: pair.task, in: work.segment)
        }
        let held = holders.filter { $0.value.claim == work.request.id && $0.key.segment == work.segment }.map(\.key)
        guard isHeld == !held.isEmpty else { throw violation("renewed \(isHeld), holding \(held.count)") }
        let leaseEnd = time.now + .seconds(30)
        for place in held { holders[place]?.leaseEnd = leaseEnd }
    }
}

// MARK: The scheduler's sweep, and what must hold

extension LedgerModel {
    private mutating func advance() {
        let seconds = roll(30) == 0 ? 200 : roll(4) == 0 ? 30 : roll(10)
        note("\(seconds) s pass")
        time.advance(by: .seconds(seconds))
    }

    private mutating func sweep() async throws {
        note("sweep")
        for segment in try await pair.ask({ try await $0.openSegments(of: pair.task) }) {
            let swept = try await pair.ask { try await $0.expire(pair.task, in: segment, untried: .expired) }
            guard swept.isEmpty || time.now >= plan.deadline else { throw violation("expired before the deadline") }
            for (state, devices) in swept {
                for offset in devices.offsets {
                    let holder = holders[Place(segment: segment, offset: offset)]
                    guard holder.map({ $0.leaseEnd <= time.now }) ?? true else {
                        throw violation("\(offset) was taken from a living sender")
                    }
                    try end(offset, as: state, in: segment)
                }
            }
            try await check(segment)
        }
        let progress = try await pair.ask { try await $0.close(segments, of: pair.task) }
        guard progress?.closed == nil || unresolved.isEmpty else { throw violation("closed before its jobs") }
    }

    private mutating func end(_ offset: UInt16, as state: DeliveryState, in segment: SegmentID) throws {
        let place = Place(segment: segment, offset: offset)
        guard state.isTerminal, ended[place] ?? state == state else {
            throw violation("\(offset) went from \(ended[place]?.name ?? "") to \(state.name)")
        }
        ended[place] = state
        holders[place] = nil
    }

    /// Checks that both ledgers agree on the segment, and that they match the model.
    @discardableResult
    private mutating func check(_ segment: SegmentID) async throws -> StateCounts {
        let snapshot = try await pair.ask { try await $0.states(of: pair.task, in: segment) }
        guard let snapshot else {
            guard marked[segment, default: []].isEmpty else { throw violation("the ledger is missing") }
            return StateCounts()
        }
        guard Set(snapshot.states.keys) == marked[segment, default: []] else { throw violation("marks were lost") }
        var counts = StateCounts()
        for (offset, state) in snapshot.states {
            counts[state] += 1
            let known = ended[Place(segment: segment, offset: offset)]
            guard known == nil || known == state else { throw violation("\(offset) came back as \(state.name)") }
            let isHeld = holders[Place(segment: segment, offset: offset)] != nil
            guard isHeld == (state == .claimed) else { throw violation("\(offset) is \(state.name), held: \(isHeld)") }
        }
        guard counts == snapshot.counts else { throw violation("counts \(snapshot.counts) of \(counts)") }
        if let offset = snapshot.states.keys.sorted().randomElement(random) {
            _ = try await pair.ask { try await $0.detail(of: offset, task: pair.task, in: segment) }
        }
        _ = try await pair.ask { try await $0.progress(of: pair.task) }
        let deferrals = try await pair.ask { try await $0.deferrals(of: pair.task, in: [segment]) }
        guard deferrals.parts.values.reduce(0, { $0 + $1.devices }) == counts[.deferred] else {
            throw violation("\(deferrals) of \(counts[.deferred]) deferred devices")
        }
        let unreported = try await pair.ask { try await $0.unreported(of: pair.task, in: segment) }
        let known = snapshot.states.filter { offset, state in
            state.isTerminal && !reported.contains(Place(segment: segment, offset: offset))
        }
        guard unreported.map(\.index.offset) == known.keys.sorted() else { throw violation("wrong unreported devices") }
        return counts
    }
}

extension Array {
    fileprivate func randomElement(_ random: some RandomSource) -> Element? {
        isEmpty ? nil : self[Int(random.next() % UInt64(count))]
    }
}
