import ServiceKit

struct MomentMeters: Sendable {
    private let good: Counter
    private let poor: Counter
    private let released: Counter

    init(_ metrics: Metrics) {
        good = metrics.counter(.ingestMoments, labels: ["kind": "good"])
        poor = metrics.counter(.ingestMoments, labels: ["kind": "poor"])
        released = metrics.counter(.ingestMomentReleases)
    }

    func note(isGood: Bool, released count: Int) {
        (isGood ? good : poor).increment()
        released.increment(by: count)
    }
}
