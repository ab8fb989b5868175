import PushModel
import ServiceKit
import TaskModel

/// How the ids of a list name devices.
enum BatchIDType: UInt8, CaseIterable {
    case appMetricaDevice
    case appleAdvertising
    case googleAdvertising
    case androidToken
    case appleToken
    case huaweiToken
    case huaweiAdvertising

    private static let uuidBytes = 36
    private static let oaidBytes = 16...64

    init?(_ name: ArraySlice<UInt8>) {
        guard let type = BatchIDType.allCases.first(where: { name.elementsEqual($0.name.utf8) }) else { return nil }
        self = type
    }

    var name: String {
        switch self {
        case .appMetricaDevice: "appmetrica_device_id"
        case .appleAdvertising: "ios_ifa"
        case .googleAdvertising: "google_aid"
        case .androidToken: "android_push_token"
        case .appleToken: "ios_push_token"
        case .huaweiToken: "huawei_push_token"
        case .huaweiAdvertising: "huawei_oaid"
        }
    }

    /// The only platform that has such ids; nil for ids of both.
    var platform: Platform? {
        switch self {
        case .appMetricaDevice: nil
        case .appleAdvertising, .appleToken: .ios
        case .googleAdvertising, .androidToken, .huaweiToken, .huaweiAdvertising: .android
        }
    }

    /// Completes "expected …".
    var rule: String {
        switch self {
        case .appMetricaDevice: "a number below 2^64 as a string"
        case .appleAdvertising, .googleAdvertising: "a UUID such as eb5f3ec8-2e3e-492f-b15b-d21860b0a7c1"
        case .huaweiAdvertising: "16 to 64 hexadecimal digits and hyphens"
        case .androidToken: PushToken.rule(of: .fcm)
        case .appleToken: PushToken.rule(of: .apns)
        case .huaweiToken: PushToken.rule(of: .huawei)
        }
    }

    func accepts(_ id: ArraySlice<UInt8>) -> Bool {
        switch self {
        case .appMetricaDevice:
            1...20 ~= id.count && id.allSatisfy(\.isASCIIDigit) && (id.count < 20 || BatchIDType.fitsInteger(id))
        case .appleAdvertising, .googleAdvertising: BatchIDType.isUUID(id)
        case .huaweiAdvertising:
            BatchIDType.oaidBytes ~= id.count && id.allSatisfy { $0.isHexDigit || $0 == UInt8(ascii: "-") }
        case .androidToken: PushToken.accepts(id, as: .fcm)
        case .appleToken: PushToken.accepts(id, as: .apns)
        case .huaweiToken: PushToken.accepts(id, as: .huawei)
        }
    }

    /// Nil if the id is not accepted.
    func entry(_ id: String) -> TargetEntry? {
        switch self {
        case .appMetricaDevice: alias(.appMetricaDevice, value: id)
        case .appleAdvertising: alias(.appleAdvertising, value: id)
        case .googleAdvertising: alias(.googleAdvertising, value: id)
        case .huaweiAdvertising: alias(.huaweiAdvertising, value: id)
        case .androidToken: token(.fcm, text: id)
        case .appleToken: token(.apns, text: id)
        case .huaweiToken: token(.huawei, text: id)
        }
    }

    private func alias(_ kind: Alias.Kind, value: String) -> TargetEntry? {
        (try? Alias(kind, value: value)).map { .alias($0) }
    }

    private func token(_ kind: PushProtocol, text: String) -> TargetEntry? {
        (try? PushToken(kind, text: text)).map { .token($0) }
    }

    private static func fitsInteger(_ digits: ArraySlice<UInt8>) -> Bool {
        OutsideText.string(digits).flatMap { UInt64($0) } != nil
    }

    private static func isUUID(_ id: ArraySlice<UInt8>) -> Bool {
        guard id.count == uuidBytes else { return false }
        return id.enumerated().allSatisfy { place, byte in
            switch place {
            case 8, 13, 18, 23: byte == UInt8(ascii: "-")
            default: byte.isHexDigit
            }
        }
    }
}
