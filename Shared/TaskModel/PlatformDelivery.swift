package import PushModel

/// How a message is delivered to the devices of one platform, where that differs from the task's options.
package struct PlatformDelivery: Hashable, Sendable {
    /// Shortens the task's; a longer one has no effect.
    package var timeToLive: Duration?
    package var priority: TaskOptions.Priority?
    package var collapseID: String?

    init() {}
}

extension PushMessage {
    package func delivery(on platform: Platform) -> PlatformDelivery {
        var delivery = PlatformDelivery()
        switch platform {
        case .android:
            delivery.timeToLive = android?.timeToLive
            delivery.priority = android?.priority
            delivery.collapseID = android?.collapseID
        case .ios:
            delivery.timeToLive = apple?.timeToLive
            delivery.collapseID = apple?.collapseID
        case .web, .windows, .http: break
        }
        return delivery
    }
}
