import PushModel

/// How a publisher says an order.
enum OrderDialect: String, CaseIterable, Sendable {
    case native
    case richie
    case pushd
    case appMetrica
    case contextPush

    /// True if it can address these devices.
    func names(_ target: Order.Target) -> Bool {
        switch (self, target) {
        case (.native, _), (.richie, .everyone), (.richie, .topic), (.richie, .users), (.pushd, .everyone),
            (.pushd, .topic), (.appMetrica, .devices), (.contextPush, .users):
            true
        case (.richie, _), (.pushd, _), (.appMetrica, _), (.contextPush, _): false
        }
    }

    /// True if its messages are for such devices. One of ContextPush is for the platform of its user's first device.
    func reaches(_ number: Int, of target: Order.Target) -> Bool {
        let platform = Platform(Population.kind(number))
        return switch self {
        case .native, .pushd: true
        case .richie: [.ios, .android].contains(platform)
        case .appMetrica: Population.hasBatchID(number)
        case .contextPush: platform == OrderDialect.platform(of: target)
        }
    }

    /// Of a message of ContextPush.
    static func platform(of target: Order.Target) -> Platform { Platform(Population.kind(target.listed[0])) }

    /// True if its messages have a text for each language.
    var isLocalized: Bool { self == .native || self == .contextPush }
}
