/// A Live Activity as its publisher and its phones know it. States have numbers, which no two requests share.
package struct JudgedActivity: Sendable {
    /// One that was answered: a start, an update or an end.
    package struct Request: Sendable {
        package enum Kind: Sendable {
            case start
            case update
            case end
        }

        package let state: Int
        package let kind: Kind
        package let asked: Duration
        package let answered: Duration

        package init(_ kind: Kind, state: Int, asked: Duration, answered: Duration) {
            self.state = state
            self.kind = kind
            self.asked = asked
            self.answered = answered
        }
    }

    /// A state that Apple accepted.
    package struct StatePush: Sendable {
        package let state: Int
        package let isEnd: Bool
        /// Seconds since the begin of the history.
        package let timestamp: Int64
        /// Of a start: the channel from which the phone gets what follows.
        package let channel: String?
        package let push: JudgedPush

        package init(state: Int, isEnd: Bool, timestamp: Int64, channel: String?, push: JudgedPush) {
            self.state = state
            self.isEnd = isEnd
            self.timestamp = timestamp
            self.channel = channel
            self.push = push
        }
    }

    /// A token of the activity that the app on a device reported, or a channel.
    package struct Phone: Sendable {
        package let name: String
        /// Whether the registry has it in the end.
        package let isRegistered: Bool
        package let pushes: [StatePush]
        /// True if the report was answered, and every push to it can have ended as delivered.
        package var isReliable = false
        /// Whether the registry has to have it; nil if that depends on which of two requests at once was first.
        package var isLast: Bool?

        package init(name: String, isRegistered: Bool, pushes: [StatePush]) {
            self.name = name
            self.isRegistered = isRegistered
            self.pushes = pushes
        }
    }

    /// A device of another platform that gets the states as data.
    package struct Mirror: Sendable {
        package let name: String
        package let pushes: [StatePush]
        /// True if every push to it can have ended as delivered.
        package let isReliable: Bool

        package init(name: String, pushes: [StatePush], isReliable: Bool) {
            self.name = name
            self.pushes = pushes
            self.isReliable = isReliable
        }
    }

    /// One of Apple's channels that phones were told of.
    package struct Channel: Sendable {
        package let name: String
        /// Whether Apple has it in the end.
        package let isOpen: Bool
        /// True if Apple lost it.
        package let isForgotten: Bool
        /// The pushes to it that Apple refused, in order.
        package let refusals: [JudgedPush]

        package init(name: String, isOpen: Bool, isForgotten: Bool, refusals: [JudgedPush]) {
            self.name = name
            self.isOpen = isOpen
            self.isForgotten = isForgotten
            self.refusals = refusals
        }
    }

    package let name: String
    package var requests: [Request] = []
    /// In the end; nil for an activity without a state.
    package var stored: Int?
    package var hasEnded = false
    /// Those that started the activity on a device.
    package var starts: [StatePush] = []
    package var phones: [Phone] = []
    package var mirrors: [Mirror] = []
    package var channels: [Channel] = []

    package init(name: String) {
        self.name = name
    }
}
