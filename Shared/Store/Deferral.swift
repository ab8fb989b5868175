package import PushModel
package import ServiceKit

/// Devices of one segment that wait for the same time, for the same cause.
package struct Deferral: Hashable, Sendable {
    package let offsets: [UInt16]
    package let cause: DeferralCause
    package let due: Timestamp

    package init(offsets: [UInt16], cause: DeferralCause, due: Timestamp) {
        self.offsets = offsets
        self.cause = cause
        self.due = due
    }
}

/// The deferred devices of a task, by cause.
package struct DeferralSummary: Hashable, Sendable {
    package struct Part: Hashable, Sendable {
        package var devices: Int
        /// When the first of them is due.
        package var next: Timestamp

        package init(devices: Int, next: Timestamp) {
            self.devices = devices
            self.next = next
        }
    }

    package private(set) var parts: [DeferralCause: Part] = [:]

    package init() {}

    package mutating func add(_ devices: Int, due: Timestamp, for cause: DeferralCause) {
        let known = parts[cause] ?? Part(devices: 0, next: due)
        parts[cause] = Part(devices: known.devices + devices, next: min(known.next, due))
    }
}
