package import PushModel

/// The final state of each device of a closed task.
package struct TaskOutcomes: Hashable, Sendable {
    package struct Device: Hashable, Sendable {
        package let index: DeviceIndex
        package let state: DeliveryState
        /// Nil if a sender recorded no details.
        package let detail: OutcomeDetail?

        package init(index: DeviceIndex, state: DeliveryState, detail: OutcomeDetail?) {
            self.index = index
            self.state = state
            self.detail = detail
        }
    }

    package let plan: TaskPlan
    /// In the order of their positions.
    package let devices: [Device]

    /// Why devices were not delivered.
    package var reasons: ReasonCounts {
        devices.reduce(into: ReasonCounts()) { reasons, device in
            guard let detail = device.detail else { return }
            reasons.add(of: ReasonCounts.Reason(device.state, status: detail.status, text: detail.reason))
        }
    }

    package init(plan: TaskPlan, devices: [Device]) {
        self.plan = plan
        self.devices = devices
    }
}
