package import PushModel

/// The states of an app's messages in one shard, or those of its devices.
package struct OutboxQueue: Hashable, Sendable {
    package let event: WebhookEvent
    package let app: AppID
    package let shard: OutboxShard

    package init(_ event: WebhookEvent, of app: AppID, in shard: OutboxShard) {
        self.event = event
        self.app = app
        self.shard = shard
    }

    /// Its name in the shard.
    package var name: String {
        switch event {
        case .messageStatus: app.text
        case .deviceTransition: app.text + OutboxQueue.devicesSuffix
        }
    }

    /// Nil if there is no such name.
    package init?(named name: String, in shard: OutboxShard) {
        let isOfDevices = name.hasSuffix(OutboxQueue.devicesSuffix)
        let text = isOfDevices ? String(name.dropLast(OutboxQueue.devicesSuffix.count)) : name
        guard let app = try? AppID(text) else { return nil }
        self.init(isOfDevices ? .deviceTransition : .messageStatus, of: app, in: shard)
    }

    /// An app has no colon.
    private static let devicesSuffix = ":devices"
}

/// An independent part of the outbox: it bounds how many batches of one app are posted at once. On a cluster the shards
/// are on different servers.
package struct OutboxShard: Hashable, Sendable {
    /// Entries of a higher shard would never be read, so the count may grow but not shrink.
    package static let count = 8
    package static let all = (0..<count).map { OutboxShard(number: $0) }

    package let number: Int

    private init(number: Int) {
        self.number = number
    }

    /// A message or a device is always in the same shard, which keeps its states in order.
    package init(of kind: OutboxSubject.Kind) {
        switch kind {
        case .message(let task): number = Int(task.low % UInt64(OutboxShard.count))
        case .device(let device): number = Int(device.tag % UInt32(OutboxShard.count))
        }
    }
}
