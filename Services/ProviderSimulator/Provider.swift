/// Whom the simulator stands in for; the raw value is its name in addresses and answers.
enum Provider: String, CaseIterable, Sendable {
    case apns
    case fcm
    case huawei
}
