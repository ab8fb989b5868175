import ServiceKit

/// How many pushes arrived in each second since the first one.
struct RateCounts {
    private static let pause = Duration.milliseconds(500)

    /// Without the first second, which may have a burst.
    private let counts: [Int]

    init(_ times: [Timestamp], seconds: Int) {
        guard let first = times.min() else {
            counts = []
            return
        }
        var counts = [Int](repeating: 0, count: seconds)
        for time in times {
            let second = Int((time - first).wholeMilliseconds / 1_000)
            if second < seconds { counts[second] += 1 }
        }
        self.counts = Array(counts.dropFirst())
    }

    /// When pushes arrived, for this time after the first one.
    static func times(of receipts: inout [PushReceipts], for seconds: Int) async throws -> [Timestamp] {
        var end: Duration?
        while end.map({ SystemTimeSource().uptime < $0 }) ?? true {
            for place in receipts.indices { try await receipts[place].poll() }
            if end == nil, receipts.contains(where: { !$0.all.isEmpty }) {
                end = SystemTimeSource().uptime + .seconds(seconds + 2)
            }
            try await SystemTimeSource().sleep(for: pause)
        }
        return receipts.flatMap { $0.all.map(\.received) }
    }

    func figures(named name: String, rate: Int) -> [BenchFigure] {
        guard let least = counts.min(), let most = counts.max() else { return [] }
        let worst = max(abs(Double(rate - least)), abs(Double(most - rate))) / Double(rate) * 100
        return [
            BenchFigure(name: "\(name).worst", value: worst, unit: "% off"),
            BenchFigure(name: "\(name).least", value: Double(least), unit: "pushes/s"),
            BenchFigure(name: "\(name).most", value: Double(most), unit: "pushes/s"),
        ]
    }
}
