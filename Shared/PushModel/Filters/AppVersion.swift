import ServiceKit

/// The version of an app, such as `2.10.1`: up to four numbers, compared one after another. Anything after them, such
/// as
/// `-beta`, does not count.
package struct AppVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
    private static let partsMaximum = 4

    private let parts: SIMD4<UInt32>

    /// Nil if the text does not begin with a number. Missing numbers are zeros, and too large ones the largest.
    package init?(_ text: some Collection<UInt8>) {
        var parts = SIMD4<UInt32>()
        var (place, hasDigit) = (0, false)
        for byte in text {
            if byte.isASCIIDigit {
                let (shifted, isTooLarge) = parts[place].multipliedReportingOverflow(by: 10)
                let (value, isStillTooLarge) = shifted.addingReportingOverflow(UInt32(byte - UInt8(ascii: "0")))
                parts[place] = isTooLarge || isStillTooLarge ? .max : value
                hasDigit = true
            } else if byte == UInt8(ascii: "."), hasDigit, place + 1 < AppVersion.partsMaximum {
                (place, hasDigit) = (place + 1, false)
            } else {
                break
            }
        }
        guard place > 0 || hasDigit else { return nil }
        self.parts = parts
    }

    package static func < (left: AppVersion, right: AppVersion) -> Bool {
        for place in 0..<partsMaximum where left.parts[place] != right.parts[place] {
            return left.parts[place] < right.parts[place]
        }
        return false
    }

    /// Without zeros at the end.
    package var description: String {
        var numbers = (0..<AppVersion.partsMaximum).map { parts[$0] }
        while numbers.count > 1, numbers.last == 0 { numbers.removeLast() }
        return numbers.map(String.init).joined(separator: ".")
    }
}
