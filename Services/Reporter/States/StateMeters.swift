import ServiceKit

struct StateMeters: Sendable {
    private let queuedStates: Counter
    private let deliveredStates: Counter
    private let abandonedStates: Counter
    private let deliveredPosts: Counter
    private let failedPosts: Counter
    private let abandonedPosts: Counter

    init(_ metrics: Metrics) {
        queuedStates = metrics.counter(.reporterStates, labels: ["outcome": "queued"])
        deliveredStates = metrics.counter(.reporterStates, labels: ["outcome": "delivered"])
        abandonedStates = metrics.counter(.reporterStates, labels: ["outcome": "given_up"])
        deliveredPosts = metrics.counter(.reporterStatePosts, labels: ["outcome": "delivered"])
        failedPosts = metrics.counter(.reporterStatePosts, labels: ["outcome": "failed"])
        abandonedPosts = metrics.counter(.reporterStatePosts, labels: ["outcome": "given_up"])
    }

    func queued(_ count: Int) {
        queuedStates.increment(by: count)
    }

    func delivered(_ count: Int) {
        deliveredStates.increment(by: count)
        deliveredPosts.increment()
    }

    func failed() {
        failedPosts.increment()
    }

    func abandoned(_ count: Int) {
        abandonedStates.increment(by: count)
        abandonedPosts.increment()
    }
}
