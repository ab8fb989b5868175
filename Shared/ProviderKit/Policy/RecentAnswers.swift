import ServiceKit

/// Counts the troubled answers among a provider's latest ones over a short time, to tell general trouble from that of a
/// few devices. Times are uptimes passed in.
package struct RecentAnswers: Sendable {
    private struct Slice: Sendable {
        let start: Duration
        var answers: Int
        var troubled: Int
    }

    private static let slicesPerWindow = 8
    private let window: Duration
    private var slices: [Slice] = []

    package init(within window: Duration) {
        self.window = window
    }

    package mutating func note(_ answers: Int, troubled: Int, at now: Duration) {
        guard answers > 0 else { return }
        if let last = slices.last, now - last.start < window / RecentAnswers.slicesPerWindow {
            slices[slices.count - 1].answers += answers
            slices[slices.count - 1].troubled += troubled
            return
        }
        slices.removeAll { now - $0.start >= window }
        slices.append(Slice(start: now, answers: answers, troubled: troubled))
    }

    package func areMostlyTroubled(at now: Duration) -> Bool {
        let (answers, troubled) = sums(at: now)
        return troubled * 2 > answers
    }

    package func troubled(at now: Duration) -> Int { sums(at: now).troubled }

    private func sums(at now: Duration) -> (answers: Int, troubled: Int) {
        slices.reduce(into: (0, 0)) { sums, slice in
            guard now - slice.start < window else { return }
            sums.0 += slice.answers
            sums.1 += slice.troubled
        }
    }
}
