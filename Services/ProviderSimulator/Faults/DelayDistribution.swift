import Glibc
import ServiceKit

/// Distribution of answer delays.
enum DelayDistribution: Sendable, Equatable {
    case fixed(Duration)
    case uniform(ClosedRange<Duration>)
    /// Most delays are near the median, one in a hundred is above `p99` (Pareto), as in a real network.
    case longTail(median: Duration, p99: Duration)

    /// Maximum delay of an answer.
    static let longest = Duration.seconds(60)

    func draw(_ random: some RandomSource) -> Duration {
        switch self {
        case .fixed(let delay): return delay
        case .uniform(let range): return random.duration(in: range)
        case .longTail(let median, let p99):
            // Half of all draws lie above the median and a hundredth above p99: with x the share above, the delay is
            // median * (2x)^-shape.
            let shape = log(p99.inSeconds / median.inSeconds) / log(50)
            let share = Double((random.next() >> 11) + 1) / Double(1 << 53)
            let seconds = median.inSeconds * pow(2 * share, -shape)
            return min(.seconds(seconds), DelayDistribution.longest)
        }
    }
}
