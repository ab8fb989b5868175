/// The simulated providers; the raw value is the name in addresses and answers.
enum Provider: String, CaseIterable, Sendable {
    case apns
    case fcm
    case huawei
    case webpush
    case wns
    case mpns
    case http

    /// For the meanings of settings.
    var owner: String {
        switch self {
        case .apns: "Apple"
        case .fcm: "Google"
        case .huawei: "Huawei"
        case .webpush: "Web Push service"
        case .wns: "Windows service (WNS)"
        case .mpns: "Windows Phone service (MPNS)"
        case .http: "receiver of HTTP pushes"
        }
    }
}
