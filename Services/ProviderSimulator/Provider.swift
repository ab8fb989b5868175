/// The simulated providers; the raw value is the name in addresses and answers.
enum Provider: String, CaseIterable, Sendable {
    case apns
    case fcm
    case huawei
}
