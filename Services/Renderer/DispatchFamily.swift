import PushModel
import Topics

/// The sender that takes a device, and so the topic it goes to.
enum DispatchFamily: Int, CaseIterable {
    case apple
    case android

    /// Nil where nobody sends yet.
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
