import ServiceKit

/// Decides whether to remove a device that a provider reports as unknown without a timestamp.
///
/// In the wrong environment every token is invalid, and an app that trusted the answer would delete all its devices. So
/// such an answer counts only while pushes of the same app and environment are delivered and most answers are good.
package struct DeletionBreaker: Sendable {
    package enum Verdict: Sendable, Equatable {
        case remove
        /// Too many are invalid for one answer to suffice: it counts as one of the failures that remove a device.
        case count
        case keep
    }

    package struct Settings: Sendable, Equatable {
        package var window: Duration = .seconds(60)
        package var invalidPercentMaximum = 20
        /// Above this the environment is suspected rather than the devices.
        package var countedPercentMaximum = 50
        /// Below this many answers the percentages do not apply; one delivery is still required.
        package var answersMinimum = 50

        package init() {}
    }

    private struct Slice: Sendable {
        let start: Duration
        var delivered = 0
        var invalid = 0
    }

    private static let slicesPerWindow = 12
    private let settings: Settings
    private var slices: [Slice] = []

    package init(_ settings: Settings = Settings()) {
        self.settings = settings
    }

    package mutating func noteDelivered(_ count: Int = 1, at uptime: Duration) {
        withSlice(at: uptime) { $0.delivered += count }
    }

    package mutating func noteInvalid(_ count: Int = 1, at uptime: Duration) {
        withSlice(at: uptime) { $0.invalid += count }
    }

    package func verdict(at uptime: Duration) -> Verdict {
        let recent = slices.filter { uptime - $0.start < settings.window }
        let delivered = recent.reduce(0) { $0 + $1.delivered }
        let invalid = recent.reduce(0) { $0 + $1.invalid }
        let answers = delivered + invalid
        guard delivered > 0 else { return .keep }
        guard answers >= settings.answersMinimum else { return .remove }
        if invalid * 100 <= answers * settings.invalidPercentMaximum { return .remove }
        return invalid * 100 <= answers * settings.countedPercentMaximum ? .count : .keep
    }

    private mutating func withSlice(at uptime: Duration, _ change: (inout Slice) -> Void) {
        let width = settings.window / DeletionBreaker.slicesPerWindow
        if let last = slices.last, uptime - last.start < width {
            change(&slices[slices.count - 1])
            return
        }
        slices.removeAll { uptime - $0.start >= settings.window }
        var slice = Slice(start: uptime)
        change(&slice)
        slices.append(slice)
    }
}
