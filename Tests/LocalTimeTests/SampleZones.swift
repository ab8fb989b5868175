import LocalTime
import ServiceKit
import TestSupport
import Testing

/// The zones of `Oracle/zones`.
enum SampleZones {
    static let folder = SourceTree.path("Tests/LocalTimeTests/Oracle/zones")

    static func bytes(_ name: String) throws -> [UInt8] {
        try #require(SmallFile.read("\(folder)/\(name)", bytesMaximum: TimeZoneRules.bytesMaximum))
    }

    static func rules(_ name: String) throws -> TimeZoneRules {
        try #require(TimeZoneRules(tzif: try bytes(name)))
    }

    static func time(_ text: String) throws -> Timestamp {
        try #require(Timestamp(rfc3339: text))
    }
}
