import ServiceKit

/// The name of an app, used in paths, keys and file names, or of the space of its Live Activities: tokens and channels
/// of activities are registered there, like devices, in segments of their own.
package struct AppID: Hashable, Sendable, Comparable, CustomStringConvertible {
    package static let lengthMaximum = 64
    /// Ends the name of a space. No name of an app has a full stop.
    private static let spaceSuffix = ".live"
    package let text: String

    /// Either name, as it is stored.
    package init(_ text: String) throws(InvalidValueError) {
        guard text.utf8.count > AppID.spaceSuffix.utf8.count, text.hasSuffix(AppID.spaceSuffix) else {
            try self.init(name: text)
            return
        }
        self = try AppID(name: String(text.dropLast(AppID.spaceSuffix.utf8.count))).activities
    }

    /// The name of an app, as people give it.
    package init(name text: String) throws(InvalidValueError) {
        guard (1...AppID.lengthMaximum).contains(text.utf8.count), text.utf8.allSatisfy(AppID.isAllowed),
            let first = text.utf8.first, first != UInt8(ascii: "-"), first != UInt8(ascii: "_")
        else {
            throw InvalidValueError(
                "must be 1 to \(AppID.lengthMaximum) of a-z, 0-9, - and _, and start with a letter or digit")
        }
        self.text = text
    }

    private init(unchecked text: String) {
        self.text = text
    }

    /// The space of the app's Live Activities.
    package var activities: AppID { isSpace ? self : AppID(unchecked: text + AppID.spaceSuffix) }

    /// The app that the space belongs to; itself for an app.
    package var owner: AppID {
        isSpace ? AppID(unchecked: String(text.dropLast(AppID.spaceSuffix.utf8.count))) : self
    }

    /// True for the space of an app's Live Activities.
    package var isSpace: Bool { text.utf8.contains(UInt8(ascii: ".")) }

    package var description: String { text }

    package static func < (left: AppID, right: AppID) -> Bool {
        left.text < right.text
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte.isASCIILowercase || byte.isASCIIDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
}
