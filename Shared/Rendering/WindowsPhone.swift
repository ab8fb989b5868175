import PushModel

/// What a Windows Phone can show, by the version of its system.
package enum WindowsPhone: Hashable, Sendable {
    case basic
    /// From 7.5: a toast has a parameter for the app that it opens.
    case withParameters
    /// From 8.0: a tile has two sides.
    case withFlipTiles

    /// `version` is a text, empty for none.
    package init(version: some Collection<UInt8>) {
        let version = AppVersion(version)
        let grade = version.flatMap { version in WindowsPhone.grades.first { $0.from <= version } }
        self = grade?.phone ?? .basic
    }

    /// The newest first.
    private static let grades: [(from: AppVersion, phone: WindowsPhone)] = [
        ("8.0", WindowsPhone.withFlipTiles), ("7.5", .withParameters),
    ].compactMap { text, phone in AppVersion(text.utf8).map { (from: $0, phone: phone) } }
}
