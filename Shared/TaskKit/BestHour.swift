package import LocalTime
package import ServiceKit
package import Store

/// At which hours of its clock a user is most likely to open a push of a campaign: those with the most opens for each
/// delivery.
package struct BestHour: Sendable {
    /// With fewer opens of the user, nothing is learnt yet.
    package static let opensMinimum = 5
    /// Within it, a clock shows each hour, also on the day of a change.
    private static let walk = Duration.seconds(50 * 3_600)

    private struct Rate: Sendable {
        var opens = 0
        var deliveries = 0

        /// By the rate that is expected after what was counted (Laplace's rule), so that one open of one delivery is
        /// not better than nine of ten.
        static func < (left: Rate, right: Rate) -> Bool {
            (left.opens + 1) * (right.deliveries + 2) < (right.opens + 1) * (left.deliveries + 2)
        }
    }

    /// By hour; nil without opens.
    private let rates: [Rate?]

    /// Nil for a user with too few opens. If those of the campaign are enough, they decide alone.
    package init?(_ record: OpenRecord, campaign: CampaignDigest) {
        let own = record.cells.filter { $0.campaign == campaign }
        guard let cells = [own, record.cells].first(where: { BestHour.opens(of: $0) >= BestHour.opensMinimum }) else {
            return nil
        }
        var rates: [Rate] = Array(repeating: Rate(), count: 24)
        for cell in cells {
            rates[Int(cell.hour)].opens += Int(cell.opens)
            rates[Int(cell.hour)].deliveries += Int(cell.deliveries)
        }
        self.rates = rates.map { $0.opens > 0 ? $0 : nil }
    }

    private static func opens(of cells: [OpenRecord.Cell]) -> Int { cells.reduce(0) { $0 + Int($1.opens) } }

    /// A time in the best hour between these times, the first one of several that are as good; nil if the user opens
    /// pushes at other hours. `place` says at which part of the hour, of 2^64: the minute of a user, so that the pushes
    /// of many users are spread.
    package func time(
        from start: Timestamp, to end: Timestamp, in rules: TimeZoneRules, place: UInt64
    ) -> Timestamp? {
        var best: (rate: Rate, begins: Timestamp, ends: Timestamp)?
        var begins = start
        while begins < min(end, start + BestHour.walk) {
            let hour = rules.hour(at: begins)
            let ends = min(hour.ends, end)
            if let rate = rates[hour.number], best.map({ $0.rate < rate }) ?? true { best = (rate, begins, ends) }
            begins = ends
        }
        return best.map { best in
            let length = UInt64((best.ends - best.begins).wholeMilliseconds)
            return best.begins + .milliseconds(length.multipliedFullWidth(by: place).high)
        }
    }
}
