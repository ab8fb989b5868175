import ServiceKit

/// What the system version of an Apple device says.
package enum SystemVersion {
    /// The first version whose Live Activities can get their updates from a channel.
    private static let firstWithChannels = 18

    /// `version` is UTF-8 such as `18.1`; an unknown version knows none.
    package static func knowsChannels(_ version: ArraySlice<UInt8>) -> Bool {
        let major = version.prefix { $0.isASCIIDigit }
        guard 1...4 ~= major.count else { return false }
        return major.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } >= firstWithChannels
    }
}
