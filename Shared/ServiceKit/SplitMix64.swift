/// Spreads numbers over 64 bits, as published. Messages contain its outputs, so they must not change.
package enum SplitMix64 {
    package static let increment: UInt64 = 0x9E37_79B9_7F4A_7C15

    package static func mixed(_ number: UInt64) -> UInt64 {
        var mixed = number &+ increment
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
