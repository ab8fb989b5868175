import ServiceKit

/// The name of an app, used in paths, keys and file names.
package struct AppID: Hashable, Sendable, Comparable, CustomStringConvertible {
    package static let lengthMaximum = 64
    package let text: String

    package init(_ text: String) throws(InvalidValueError) {
        guard (1...AppID.lengthMaximum).contains(text.utf8.count), text.utf8.allSatisfy(AppID.isAllowed),
            let first = text.utf8.first, first != UInt8(ascii: "-"), first != UInt8(ascii: "_")
        else {
            throw InvalidValueError(
                "must be 1 to \(AppID.lengthMaximum) of a-z, 0-9, - and _, and start with a letter or digit")
        }
        self.text = text
    }

    package var description: String { text }

    package static func < (left: AppID, right: AppID) -> Bool {
        left.text < right.text
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        byte.isASCIILowercase || byte.isASCIIDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
}
