import ProviderKit
import PushModel
import Topics

/// One of Apple's hosts, by what it is for.
struct APNsHost: Hashable {
    enum Purpose {
        case devices
        case broadcasts
        /// Manages channels.
        case channels
    }

    let purpose: Purpose
    let isSandbox: Bool

    init(_ purpose: Purpose, isSandbox: Bool) {
        self.purpose = purpose
        self.isSandbox = isSandbox
    }

    init(for push: Push) {
        self.init(push.content.variant.kind == .channel ? .broadcasts : .devices, isSandbox: push.isSandbox)
    }
}
