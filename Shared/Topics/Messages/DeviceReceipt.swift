package import PushModel
package import ServiceKit

/// What one device reports about a push.
package struct DeviceReceipt: Hashable, Sendable {
    package static let actionBytesMaximum = 64

    package let device: DeviceID
    package let kind: ReceiptKind
    /// The name of the action in the app; empty for the other kinds.
    package let action: String
    /// When it happened, by the device's clock; within the day on which the task began and the time of acceptance.
    package let time: Timestamp
    package let platform: Platform

    package init(device: DeviceID, on platform: Platform, kind: ReceiptKind, action: String, time: Timestamp) {
        self.device = device
        self.platform = platform
        self.kind = kind
        self.action = action
        self.time = time
    }

    /// The rest of its id after the task; the same for a repeat.
    package var path: String { "\(device)/\(kind.name)" + (action.isEmpty ? "" : "/\(action)") }

    /// Letters, digits and `.`, `_`, `-`: the name is part of an id.
    package static func isAction(_ text: String) -> Bool {
        1...actionBytesMaximum ~= text.utf8.count
            && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "._-".utf8.contains($0) }
    }
}
