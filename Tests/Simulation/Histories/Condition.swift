import PushModel

/// What an audience says of a device, as far as the devices of a history differ.
indirect enum Condition: Sendable {
    case subscribed
    case german
    /// The second number of the app's version.
    case versionBelow(Int)
    case platform(Platform)
    case not(Condition)
    case all([Condition])
    case any([Condition])

    /// What the record and the subscriptions of a device say.
    struct Traits {
        let isSubscribed: Bool
        let isGerman: Bool
        let version: Int
        let platform: Platform
    }

    private static let depthMaximum = 2
    static let versions = 7

    init(_ dice: inout Dice, depth: Int = 0) {
        switch dice.number(below: depth < Condition.depthMaximum ? 8 : 4) {
        case 0: self = .subscribed
        case 1: self = .german
        case 2: self = .versionBelow(dice.number(in: 1...Condition.versions))
        case 3: self = .platform(dice.pick(Platform.allCases))
        case 4: self = .not(Condition(&dice, depth: depth + 1))
        case 5: self = .any((0..<dice.number(in: 1...3)).map { _ in Condition(&dice, depth: depth + 1) })
        default: self = .all((0..<dice.number(in: 1...3)).map { _ in Condition(&dice, depth: depth + 1) })
        }
    }

    func matches(_ traits: Traits) -> Bool {
        switch self {
        case .subscribed: traits.isSubscribed
        case .german: traits.isGerman
        case .versionBelow(let version): traits.version < version
        case .platform(let platform): traits.platform == platform
        case .not(let condition): !condition.matches(traits)
        case .all(let conditions): conditions.allSatisfy { $0.matches(traits) }
        case .any(let conditions): conditions.contains { $0.matches(traits) }
        }
    }

    func audience(topic: TopicName) throws -> Audience {
        switch self {
        case .subscribed: .topic(topic)
        case .german: .filter(.language(try LanguageRange("de")))
        case .versionBelow(let version):
            .filter(.appVersion(try AppVersionRange(from: nil, below: AppVersion("1.\(version)".utf8))))
        case .platform(let platform): .filter(.platform(platform))
        case .not(let condition): .not(try condition.audience(topic: topic))
        case .all(let conditions): .all(try conditions.map { try $0.audience(topic: topic) })
        case .any(let conditions): .any(try conditions.map { try $0.audience(topic: topic) })
        }
    }
}

extension Condition: CustomStringConvertible {
    var description: String {
        switch self {
        case .subscribed: "subscribed"
        case .german: "German"
        case .versionBelow(let version): "of a version below 1.\(version)"
        case .platform(let platform): "on \(platform)"
        case .not(let condition): "not (\(condition))"
        case .all(let conditions): "all of \(conditions)"
        case .any(let conditions): "any of \(conditions)"
        }
    }
}
