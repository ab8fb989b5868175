/// The simulated providers; the raw value is the name in addresses and answers.
enum Provider: String, CaseIterable, Sendable {
    case apns
    case fcm
    case huawei

    var owner: String {
        switch self {
        case .apns: "Apple"
        case .fcm: "Google"
        case .huawei: "Huawei"
        }
    }
}
