/// What holds for devices whose apps call pushd's routes. One that a provider does not know may be removed at any time,
/// and has no subscriptions if it registers again.
struct SubscriberRules {
    private let evidence: Evidence

    init(_ evidence: Evidence) {
        self.evidence = evidence
    }

    func violations() -> [Violation] {
        evidence.subscribers.filter { !mayBeRemoved($0) }.flatMap(violations(of:)) + counts()
    }

    private func mayBeRemoved(_ subscriber: JudgedSubscriber) -> Bool {
        subscriber.answered != nil && evidence.unknownToProviders.contains(subscriber.device)
    }

    private func violations(of subscriber: JudgedSubscriber) -> [Violation] {
        let place = "device \(subscriber.device)"
        var found: [Violation] = []
        if subscriber.ids > 1 {
            found.append(Violation(.tokenHasOneDevice, "\(place) was answered with \(subscriber.ids) ids"))
        }
        guard subscriber.answered != subscriber.found else { return found }
        guard let answered = subscriber.answered, let read = subscriber.found else {
            let state = subscriber.answered == nil ? "left" : "missing"
            return found + [Violation(.lastRegistrationCounts, "\(place) is \(state)")]
        }
        return found + [Violation(.subscribersAreAsAnswered, "\(place) has \(read) instead of \(answered)")]
    }

    private func counts() -> [Violation] {
        evidence.topicCounts.sorted { $0.key < $1.key }.compactMap { topic, count in
            let subscribers = evidence.subscribers.filter { $0.answered?.subscriptions[topic] != nil }
            let least = subscribers.count { !mayBeRemoved($0) }
            guard count < least || count > subscribers.count else { return nil }
            return Violation(.topicsCountSubscribers, "\(topic): \(count) of \(least) to \(subscribers.count)")
        }
    }
}
