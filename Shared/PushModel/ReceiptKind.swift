/// What a device reports about a push. Raw values are stored and must not change.
package enum ReceiptKind: UInt8, CaseIterable, Sendable {
    /// The push arrived in the app.
    case delivered = 1
    case opened = 2
    case dismissed = 3
    /// The user chose an action of the notification.
    case action = 4

    /// The name in the API and in messages.
    package var name: String {
        switch self {
        case .delivered: "delivered"
        case .opened: "opened"
        case .dismissed: "dismissed"
        case .action: "action"
        }
    }

    package init?(name: String) {
        guard let kind = ReceiptKind.allCases.first(where: { $0.name == name }) else { return nil }
        self = kind
    }
}
