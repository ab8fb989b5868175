import PushModel

/// What holds for a device over all tasks.
struct DeviceRules {
    /// Between the claim that counts a push and its acceptance by a provider.
    private static let tolerance = Duration.seconds(5)

    private struct Sent {
        let task: JudgedTask
        /// The copies of one push, in order.
        let copies: [JudgedPush]
    }

    private let evidence: Evidence
    private let sent: [Int: [Sent]]

    init(_ evidence: Evidence) {
        self.evidence = evidence
        var sent: [Int: [Sent]] = [:]
        for task in evidence.tasks {
            for (device, copies) in evidence.pushes[task.id] ?? [:] {
                sent[device, default: []].append(Sent(task: task, copies: copies))
            }
        }
        self.sent = sent
    }

    func violations() -> [Violation] {
        sent.sorted { $0.key < $1.key }.flatMap { device, sent in
            badges(of: device, sent: sent) + cap(of: device, sent: sent)
        } + registrations()
    }

    /// A device that a provider does not know is removed.
    private func registrations() -> [Violation] {
        evidence.registrations.sorted { $0.key < $1.key }.compactMap { device, isExpected in
            let isRegistered = evidence.registeredDevices.contains(device)
            let mayBeRemoved = isExpected && evidence.unknownToProviders.contains(device)
            guard isRegistered != isExpected, !mayBeRemoved else { return nil }
            return Violation(.lastRegistrationCounts, "device \(device) is \(isExpected ? "missing" : "left")")
        }
    }

    /// The claim of a retry reads the number that another task may have raised meanwhile, so only the sum says
    /// anything.
    private func badges(of device: Int, sent: [Sent]) -> [Violation] {
        guard let badge = evidence.badges[device], !evidence.disturbances.haveLost else { return [] }
        let least = sent.count { $0.task.countsBadge }
        // Of a device that was sent to the outcome may be missing if the bus lost messages.
        let most = evidence.tasks.count { task in
            let isCounted = evidence.outcomes[task.id]?[device] != nil || evidence.pushes[task.id]?[device] != nil
            return task.countsBadge && isCounted
        }
        guard badge < least || badge > most else { return [] }
        return [Violation(.badgeCountedOnce, "device \(device) has \(badge) after \(least) to \(most) tasks")]
    }

    /// A device that came back counts as another.
    private func cap(of device: Int, sent: [Sent]) -> [Violation] {
        guard let cap = evidence.cap, !evidence.movedDevices.contains(device) else { return [] }
        let end = evidence.disturbances.mayDelayPushes ?? .seconds(Int64.max)
        let times = sent.filter(\.task.keepsCap).compactMap(\.copies.first?.time).filter { $0 < end }.sorted()
        guard times.count > cap.count else { return [] }
        return zip(times, times.dropFirst(cap.count)).compactMap { first, last in
            last - first + DeviceRules.tolerance < cap.period
                ? Violation(.capKept, "device \(device): \(cap.count + 1) within \(last - first)") : nil
        }
    }
}
