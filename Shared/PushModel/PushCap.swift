/// Maximum number of pushes to one device within a period, wherever the period begins.
package struct PushCap: Hashable, Sendable {
    package static let counts = 1...10_000
    package static let periods = Duration.seconds(60)...Duration.seconds(30 * 86_400)

    package let count: Int
    package let period: Duration

    package init(count: Int, period: Duration) {
        self.count = count
        self.period = period
    }
}
