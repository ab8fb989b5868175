package import PushModel
package import ServiceKit

/// How one device ended in a task.
package struct DeviceResult: Hashable, Sendable {
    package let device: DeviceID
    package let provider: PushProtocol
    package let state: DeliveryState
    package let attempt: UInt8
    /// The provider's status; zero where none answered.
    package let status: UInt16
    /// Cut at its bound, as the ledger keeps it: a repeat from there is the same.
    package let reason: String
    /// A failure that speaks against the device: it counts towards its removal. A repeat from the ledger does not know
    /// it.
    package let isCounted: Bool
    /// When the provider was asked, of a device that it does not know: one that was registered later is not removed. A
    /// repeat has the time of the attempt and not its own.
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
