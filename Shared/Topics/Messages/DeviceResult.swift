package import PushModel
package import ServiceKit

/// The outcome of one device in a task.
package struct DeviceResult: Hashable, Sendable {
    package let device: DeviceID
    package let provider: PushProtocol
    package let state: DeliveryState
    package let attempt: UInt8
    /// The provider's status; zero without an answer.
    package let status: UInt16
    /// Truncated like the ledger's copy, so that a repeat from there is identical.
    package let reason: String
    /// True for a failure that counts towards the device's removal. Not included in a repeat from the ledger.
    package let isCounted: Bool
    /// Time of the request to the provider, for an unknown device: a device registered later is not removed. A repeat
    /// has the time of the original attempt.
    package let attempted: Timestamp?

    package init(
        device: DeviceID, provider: PushProtocol, state: DeliveryState, attempt: UInt8, status: UInt16, reason: String,
        isCounted: Bool = false, attempted: Timestamp? = nil
    ) {
        self.device = device
        self.provider = provider
        self.state = state
        self.attempt = attempt
        self.status = status
        self.reason = OutcomeReason.cut(reason)
        self.isCounted = isCounted
        self.attempted = state.isInvalid ? attempted : nil
    }

    package var offset: UInt16 { device.index.offset }
}
