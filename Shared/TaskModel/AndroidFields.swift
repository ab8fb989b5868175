/// What only Android devices have: the appearance of a notification, and how it is delivered there.
package struct AndroidFields: Hashable, Sendable {
    /// The light of the device; what a publisher leaves out has these defaults, since providers require all of it.
    package struct Light: Hashable, Sendable {
        package var color = HexColor.white
        package var onMilliseconds = 500
        package var offMilliseconds = 500

        package init() {}
    }

    /// What the lock screen shows of the notification. The raw value is used in messages and must not change.
    package enum Visibility: String, CaseIterable, Sendable {
        case `public`
        case `private`
        case secret
    }

    package static let vibrationCountMaximum = 64
    /// For each number of a vibration, and for the light.
    package static let millisecondsAllowed = 0...60_000
    package static let importanceAllowed = -2...2

    package var channel: String?
    /// 0 is the importance of an ordinary notification.
    package var importance: Int?
    /// Milliseconds: a pause, a vibration, a pause, and so on.
    package var vibration: [Int] = []
    package var light: Light?
    package var visibility: Visibility?
    /// The name of a resource of the app.
    package var icon: String?
    package var color: HexColor?
    /// An https URL of a big picture.
    package var banner: String?
    /// A notification replaces an earlier one with the same tag; the collapse id by default.
    package var tag: String?
    package var timeToLive: Duration?
    package var priority: TaskOptions.Priority?
    package var collapseID: String?

    package init() {}
}
