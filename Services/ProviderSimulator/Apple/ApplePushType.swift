/// `apns-push-type`, with the topic that Apple requires for it.
enum ApplePushType: String, CaseIterable, Sendable {
    case alert
    case background
    case voip
    case complication
    case fileprovider
    case location
    case liveactivity
    case pushtotalk
    case controls
    case widgets
    case mdm

    /// The topic's suffix after the bundle id.
    var topicSuffix: String {
        switch self {
        case .alert, .background, .mdm: ""
        case .voip: ".voip"
        case .complication: ".complication"
        case .fileprovider: ".pushkit.fileprovider"
        case .location: ".location-query"
        case .liveactivity: ".push-type.liveactivity"
        case .pushtotalk: ".voip-ptt"
        case .controls: ".push-type.controls"
        case .widgets: ".push-type.widgets"
        }
    }

    var payloadBytesMaximum: Int { self == .voip ? 5_120 : 4_096 }

    /// Whether `apns-priority` may have this value.
    func allows(priority: String) -> Bool {
        switch priority {
        case "10": self != .background
        case "5": true
        case "1": self != .background && self != .liveactivity
        default: false
        }
    }

    /// The bundle id that a topic names; nil if the topic is not of this type.
    func bundle(ofTopic topic: String) -> Substring? {
        guard topic.utf8.count > topicSuffix.utf8.count else { return nil }
        if topicSuffix.isEmpty {
            let isForeign = ApplePushType.suffixes.contains { topic.hasSuffix($0) }
            return isForeign ? nil : topic[...]
        }
        return topic.hasSuffix(topicSuffix) ? topic.dropLast(topicSuffix.count) : nil
    }

    private static let suffixes = allCases.map(\.topicSuffix).filter { !$0.isEmpty }
}
