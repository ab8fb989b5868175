package import PushModel
package import ServiceKit

/// A request of a client that was accepted, or is being accepted: what its repeats and its status need.
package struct Transfer: Hashable, Sendable {
    /// Within `TransferBounds.ids`.
    package let id: UInt64
    package let group: Int64
    package let clientID: Int64?
    package let tag: String
    package let created: Timestamp
    /// Of the request, `TransferBounds.fingerprintBytes` long.
    package let fingerprint: [UInt8]
    package var tasks: [TaskID]
    /// Why it failed; empty if it did not.
    package var errors: [String]
    /// Its tasks are durable.
    package var isAccepted: Bool

    package init(
        id: UInt64, group: Int64, clientID: Int64?, tag: String, created: Timestamp, fingerprint: [UInt8],
        tasks: [TaskID] = [], errors: [String] = [], isAccepted: Bool = false
    ) {
        self.id = id
        self.group = group
        self.clientID = clientID
        self.tag = tag
        self.created = created
        self.fingerprint = fingerprint
        self.tasks = tasks
        self.errors = errors
        self.isAccepted = isAccepted
    }

    /// No longer remembered at this time.
    package func isForgotten(at now: Timestamp) -> Bool {
        created + TransferBounds.retention < now
    }
}

package enum TransferBounds {
    /// Numbers that JavaScript and Lua represent exactly.
    package static let ids: Range<UInt64> = 1..<1 << 53
    package static let retention = Duration.seconds(90 * 86_400)
    /// Of one app.
    package static let countMaximum = 500_000
    package static let fingerprintBytes = 32
    package static let tagBytesMaximum = 255
    package static let tasksMaximum = 16
    package static let errorsMaximum = 16
    /// Of one error.
    package static let errorBytesMaximum = 1_024
}
