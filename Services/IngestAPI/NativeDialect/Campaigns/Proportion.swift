import Glibc

/// How many of some trials succeeded, with the 95 % confidence intervals of Wilson, which hold for few trials and for
/// rates near 0 and 1 too.
struct Proportion: Sendable, Equatable {
    struct Difference: Sendable, Equatable {
        let rate: Double
        let interval: ClosedRange<Double>
    }

    /// Of the normal distribution, 97.5 % lie below.
    private static let deviations = 1.959964

    let successes: Int
    let trials: Int

    init(_ successes: Int, of trials: Int) {
        self.successes = successes
        self.trials = trials
    }

    /// Nil without trials.
    var rate: Double? { trials > 0 ? Double(successes) / Double(trials) : nil }

    var interval: ClosedRange<Double>? {
        guard let rate else { return nil }
        let (count, square) = (Double(trials), Proportion.deviations * Proportion.deviations)
        let middle = (rate + square / (2 * count)) / (1 + square / count)
        let reach =
            Proportion.deviations * (rate * (1 - rate) / count + square / (4 * count * count)).squareRoot()
            / (1 + square / count)
        // Rounding may exclude rates of 0 and 1.
        return max(0, min(rate, middle - reach))...min(1, max(rate, middle + reach))
    }

    /// By Newcombe's method from both intervals; nil if either has no trials.
    func difference(from other: Proportion) -> Difference? {
        guard let rate, let interval, let otherRate = other.rate, let otherInterval = other.interval else { return nil }
        let difference = rate - otherRate
        let below = hypot(rate - interval.lowerBound, otherInterval.upperBound - otherRate)
        let above = hypot(interval.upperBound - rate, otherRate - otherInterval.lowerBound)
        return Difference(rate: difference, interval: difference - below...difference + above)
    }
}
