package import PushModel

/// A message or a device whose states are told.
package struct OutboxSubject: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case message(TaskID)
        case device(DeviceID)
    }

    package let kind: Kind
    package let app: AppID

    package init(_ kind: Kind, of app: AppID) {
        self.kind = kind
        self.app = app
    }

    package var queue: OutboxQueue { OutboxQueue(event, of: app, in: OutboxShard(of: kind)) }

    private var event: WebhookEvent {
        switch kind {
        case .message: .messageStatus
        case .device: .deviceTransition
        }
    }
}
