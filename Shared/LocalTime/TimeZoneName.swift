import ServiceKit

/// The name of a time zone, such as `America/Argentina/Salta`.
package enum TimeZoneName {
    package static let bytesMaximum = 64

    /// Checks the syntax; only `TimeZoneCatalog` knows whether the zone exists. Such a name is a path without dots, so
    /// it never leads out of the folder in which it is looked up.
    package static func isPossible(_ name: String) -> Bool {
        1...bytesMaximum ~= name.utf8.count && name.utf8.first != UInt8(ascii: "/")
            && name.utf8.allSatisfy { $0.isASCIILetterOrDigit || "/_+-".utf8.contains($0) }
    }
}
