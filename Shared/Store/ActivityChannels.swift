package import PushModel

/// Apple's broadcast channels of Live Activities, as senders know them. They belong to the registry, but not to its log:
/// after a loss a channel is known from the base of its activity.
///
/// The space in all calls is the app's space of activities.
package protocol ActivityChannels: ActivityFactReader {
    /// Nil before anything is known.
    func channel(of place: ChannelPlace, in space: AppID) async throws(StoreError) -> ActivityChannel?
    /// Replaces what is known unless it was changed since it was read; nil forgets it. False if it was.
    func replace(
        _ channel: ActivityChannel?, by next: ActivityChannel?, of place: ChannelPlace, in space: AppID
    ) async throws(StoreError) -> Bool
    /// All that is known about an app.
    func channels(in space: AppID) async throws(StoreError) -> [ChannelPlace: ActivityChannel]
    /// False while another caller may make this channel. It ends after this time, or when it is given back.
    func reserve(_ place: ChannelPlace, for time: Duration, in space: AppID) async throws(StoreError) -> Bool
    func giveBack(_ place: ChannelPlace, in space: AppID) async throws(StoreError)
}

/// Read access to the facts of activities, also for services that change none.
package protocol ActivityFactReader: Sendable {
    /// Nil for an unknown activity.
    func facts(of activity: ActivityID, in space: AppID) async throws(StoreError) -> ActivityFacts?
}

/// An activity in one of Apple's environments, each of which has channels of its own.
package struct ChannelPlace: Hashable, Sendable {
    package let activity: ActivityID
    package let environment: Device.Environment

    package init(_ activity: ActivityID, in environment: Device.Environment) {
        self.activity = activity
        self.environment = environment
    }

    /// Its name in stores.
    package var name: String {
        switch environment {
        case .production: "p:\(activity)"
        case .sandbox: "s:\(activity)"
        }
    }

    /// Nil for another name.
    package init?(name: String) {
        let environments: [String: Device.Environment] = ["p:": .production, "s:": .sandbox]
        guard let environment = environments[String(name.prefix(2))],
            let activity = try? ActivityID(String(name.dropFirst(2)))
        else { return nil }
        self.init(activity, in: environment)
    }
}

/// What is known about the channel of an activity.
package enum ActivityChannel: Hashable, Sendable {
    case open(PushToken)
    /// It is being deleted at Apple, and must not be given to phones any more.
    case closing(PushToken)
    /// Apple makes none: all phones get tokens.
    case refused

    /// Its form in stores.
    package var text: String {
        switch self {
        case .open(let id): "o" + id.text
        case .closing(let id): "c" + id.text
        case .refused: "r"
        }
    }

    /// Nil if it is malformed.
    package init?(text: String) {
        if text == "r" {
            self = .refused
            return
        }
        guard let id = try? PushToken(.channel, text: String(text.dropFirst())) else { return nil }
        switch text.first {
        case "o": self = .open(id)
        case "c": self = .closing(id)
        default: return nil
        }
    }

    package var id: PushToken? {
        switch self {
        case .open(let id), .closing(let id): id
        case .refused: nil
        }
    }
}
