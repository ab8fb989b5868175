package import PushModel
package import ServiceKit
package import Store
package import TaskModel

/// Defers devices whose task, group or app sends no faster than a rate: each waits for its slot.
package struct DevicePacing: Sendable {
    /// A step in which devices are judged. A repeat of it gets the same slots.
    package struct Step: Sendable {
        package let name: String
        package let task: TaskID
        package let app: AppID
        package let now: Timestamp

        package init(_ name: String, of task: TaskID, in app: AppID, now: Timestamp) {
            self.name = name
            self.task = task
            self.app = app
            self.now = now
        }
    }

    private let pacing: any PushPacing

    package init(_ pacing: any PushPacing) {
        self.pacing = pacing
    }

    package func pace(
        _ judged: JudgedDevices, rules: DeliveryRules, in step: Step
    ) async throws(StoreError) -> JudgedDevices {
        let rates = rules.rates(of: step.task, in: step.app)
        guard !rates.isEmpty, !judged.sendable.isEmpty else { return judged }
        let count = judged.sendable.count
        var first: [(rate: PushRate, slot: Timestamp)] = []
        for rate in rates {
            guard let slot = try await pacing.reserve(count, as: step.name, of: step.task, at: rate) else {
                return judged.suppressing(reason: OutcomeReason.rate)
            }
            first.append((rate, slot))
        }
        return judged.paced(now: step.now) { number in
            first.map { $0.slot + PacingBounds.interval(number, at: $0.rate) }.max() ?? step.now
        }
    }
}

extension JudgedDevices {
    /// Defers sendable devices until shortly before their slots, which follow the order of their offsets.
    fileprivate func paced(now: Timestamp, slot: (Int) -> Timestamp) -> JudgedDevices {
        var releases: [UInt16: Timestamp] = [:]
        for (number, offset) in sendable.offsets.enumerated() {
            let release = slot(number) + (.zero - PacingBounds.lead)
            if release > now { releases[offset] = release }
        }
        return deferring(releases, for: .rate)
    }
}
