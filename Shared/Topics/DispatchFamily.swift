package import PushModel

/// A sender, with its topic and the protocols that it serves.
package enum DispatchFamily: Int, CaseIterable, Sendable {
    case apple
    case android
    case web

    package init(_ kind: PushProtocol) {
        switch kind {
        case .apns, .liveActivity, .channel: self = .apple
        case .fcm, .huawei: self = .android
        case .webpush, .wns, .mpns, .http: self = .web
        }
    }

    package var topic: Topic<DispatchChunk> {
        switch self {
        case .apple: Topics.dispatchAPNs
        case .android: Topics.dispatchAndroid
        case .web: Topics.dispatchWeb
        }
    }

    package var protocols: [PushProtocol] { PushProtocol.allCases.filter { DispatchFamily($0) == self } }
}

extension PushProtocol {
    /// Protocols that a sender serves.
    package static let supported = DispatchFamily.allCases.flatMap(\.protocols)
}

extension Platform {
    /// Platforms with at least one supported protocol.
    package static let supported = allCases.filter { platform in
        PushProtocol.supported.contains { Platform($0) == platform }
    }
}
