package import PushModel

/// A sender, with its topic and the protocols that it serves. The list of supported protocols is derived from here.
package enum DispatchFamily: Int, CaseIterable, Sendable {
    case apple
    case android

    /// Nil for protocols without a sender.
    package init?(_ kind: PushProtocol) {
        switch kind {
        case .apns: self = .apple
        case .fcm, .huawei: self = .android
        case .webpush, .wns, .mpns, .http: return nil
        }
    }

    package var topic: Topic<DispatchChunk> {
        switch self {
        case .apple: Topics.dispatchAPNs
        case .android: Topics.dispatchAndroid
        }
    }

    package var protocols: [PushProtocol] { PushProtocol.allCases.filter { DispatchFamily($0) == self } }
}

extension PushProtocol {
    /// Protocols that a sender serves.
    package static let supported = allCases.filter { DispatchFamily($0) != nil }
}

extension Platform {
    /// Platforms with at least one supported protocol.
    package static let supported = allCases.filter { platform in
        PushProtocol.supported.contains { Platform($0) == platform }
    }
}
