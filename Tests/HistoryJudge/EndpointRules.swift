import PushModel
import Topics

/// What docs/webhooks.md and docs/apps.md promise the endpoints of an app.
struct EndpointRules {
    private static let pending = "pending"

    private let evidence: Evidence
    private let endpoints: EndpointEvidence

    init(_ evidence: Evidence) {
        self.evidence = evidence
        endpoints = evidence.endpoints
    }

    func violations() -> [Violation] {
        var found = endpoints.changedPosts.sorted().map { Violation(.postsAreRepeatedUnchanged, $0) }
        found += evidence.tasks.flatMap { report(of: $0) }
        // States since the moment to which a store went back may be missing, or come again in another request.
        guard endpoints.expectsStates, !evidence.disturbances.haveLost else { return found }
        found += evidence.tasks.filter(\.isMessage).flatMap { states(of: $0) }
        return found + removals()
    }

    private func report(of task: JudgedTask) -> [Violation] {
        guard endpoints.expectsReports, !evidence.disturbances.haveLost else { return [] }
        let reports = Set((evidence.reports[task.id] ?? []).map { $0.encoded() })
        let posted = endpoints.reports[task.id] ?? []
        let isPosted =
            switch task.reportPost {
            case .asPublished: posted == reports
            case .inDialect: posted.count == reports.count
            case .none: posted.isEmpty
            }
        return isPosted
            ? [] : [Violation(.reportsArePosted, "\(task.name): \(posted.count) bodies for \(reports.count) reports")]
    }

    private func states(of task: JudgedTask) -> [Violation] {
        let told = endpoints.states[task.id] ?? []
        var found: [Violation] = []
        if told.first != ToldState(device: nil, status: EndpointRules.pending) {
            found.append(Violation(.pendingIsToldFirst, "\(task.name) begins with \(told.first?.status ?? "nothing")"))
        }
        let named = told.filter { $0.device != nil || $0.status == EndpointRules.pending }
        if Set(named).count < named.count {
            found.append(Violation(.statesAreToldOnce, "\(task.name): \(EndpointRules.text(told))"))
        }
        let expected = expectedStates(of: task)
        let missing = expected.filter { !told.contains($0) }
        let outcomes = Set(
            (evidence.outcomes[task.id] ?? [:]).flatMap { device, states in
                states.compactMap(ToldState.status).map { ToldState(device: device, status: $0) }
            })
        let reported = states(of: task, for: \.reported)
        let others = named.filter { $0.device != nil && !outcomes.contains($0) && !reported.contains($0) }
        if !missing.isEmpty || !others.isEmpty {
            found.append(
                Violation(
                    .statesAreOutcomes,
                    "\(task.name): not told \(EndpointRules.text(missing)), only told \(EndpointRules.text(others))"))
        }
        return found
    }

    /// Of a device that left its token may not be known.
    private func expectedStates(of task: JudgedTask) -> [ToldState] {
        let outcomes = (evidence.outcomes[task.id] ?? [:]).sorted { $0.key < $1.key }
        let ofDevices = outcomes.filter { task.audience.contains($0.key) }.flatMap { device, states in
            states.compactMap(ToldState.status).sorted().map { ToldState(device: device, status: $0) }
        }
        let accepted = states(of: task, for: \.accepted).filter { $0.device.map(task.audience.contains) == true }
        guard let report = evidence.reports[task.id]?.first, report.targeted == 0 else { return ofDevices + accepted }
        return ofDevices + accepted + [ToldState(device: nil, status: report.isCancelled ? "cancelled" : "failed")]
    }

    /// What receipts tell: what was opened was delivered; a dismissal and an action are counted only.
    private func states(of task: JudgedTask, for devices: KeyPath<Receipts, Set<Int>>) -> [ToldState] {
        let told: [ReceiptKind: [String]] = [.delivered: ["delivered"], .opened: ["delivered", "opened"]]
        return (evidence.receipts[task.id] ?? [:]).sorted { $0.key.rawValue < $1.key.rawValue }.flatMap {
            kind, receipts in
            receipts[keyPath: devices].sorted().flatMap { device in
                (told[kind] ?? []).map { ToldState(device: device, status: $0) }
            }
        }
    }

    private func removals() -> [Violation] {
        let gone = endpoints.goneDevices.subtracting(evidence.movedDevices)
        let told = endpoints.removals.filter { !evidence.movedDevices.contains($0.key) }
        return gone.union(told.keys).sorted().compactMap { device in
            let expected = gone.contains(device) ? 1 : 0
            let count = told[device] ?? 0
            return count == expected
                ? nil : Violation(.removalsAreToldOnce, "device \(device): told \(count) times for \(expected)")
        }
    }

    private static func text(_ states: [ToldState]) -> String {
        states.map { "\($0.status) \($0.device.map(String.init) ?? "")" }.joined(separator: ", ")
    }
}
