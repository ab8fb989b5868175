/// Why a device is deferred. Stored in the ledger and in messages; raw values must not change.
package enum DeferralCause: UInt8, CaseIterable, Sendable {
    /// The task is for a local time that the device has not reached.
    case localTime = 1
    case quietHours = 2
    /// The task or its app is sent at a limited rate.
    case rate = 3
    /// The device has got as many pushes as it may get for now.
    case cap = 4

    /// The name in the API and as the reason of a deferred device.
    package var name: String {
        switch self {
        case .localTime: "local_time"
        case .quietHours: "quiet_hours"
        case .rate: "rate"
        case .cap: "cap"
        }
    }
}
