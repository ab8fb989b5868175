/// A name of a device in another system. Several devices may have the same one (a user has a phone and a tablet); a
/// device has at most one of each kind.
package struct Alias: Hashable, Sendable {
    /// The raw value is part of stored records and must not change.
    package enum Kind: UInt8, CaseIterable, Sendable {
        case externalUser = 1
        case hardware = 2
        case appMetricaDevice = 3
        case appleAdvertising = 4
        case googleAdvertising = 5
        case huaweiAdvertising = 6
    }

    package static let bytesMaximum = 256
    package let kind: Kind
    package let value: String

    package init(_ kind: Kind, value: String) throws(InvalidValueError) {
        guard (1...Alias.bytesMaximum).contains(value.utf8.count), value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
        else {
            throw InvalidValueError("expected 1 to \(Alias.bytesMaximum) bytes without control characters")
        }
        self.kind = kind
        self.value = value
    }

    /// Bytewise, as in stores: `String` treats two encodings of one accent as equal.
    package static func == (left: Alias, right: Alias) -> Bool {
        left.kind == right.kind && left.value.utf8.elementsEqual(right.value.utf8)
    }
}
