import PushModel
import Topics

/// The sender of a device, which determines its topic.
enum DispatchFamily: Int, CaseIterable {
    case apple
    case android

    /// Nil for providers without a sender.
    init?(_ kind: PushProtocol) {
        switch kind {
        case .apns: self = .apple
        case .fcm, .huawei: self = .android
        case .webpush, .wns, .mpns, .http: return nil
        }
    }

    var topic: Topic<DispatchChunk> {
        switch self {
        case .apple: Topics.dispatchAPNs
        case .android: Topics.dispatchAndroid
        }
    }
}
