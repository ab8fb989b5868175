import PushModel
import ServiceKit

/// A group of transfers of an app: they share its rate.
package struct TransferGroup: Sendable {
    /// Within `TransferGroupBounds.ids`.
    package let id: Int64
    package var name: String
    /// Maximum pushes a second.
    package var rate: Int
    package var isArchived: Bool

    package init(id: Int64, name: String, rate: Int, isArchived: Bool = false) {
        self.id = id
        self.name = name
        self.rate = rate
        self.isArchived = isArchived
    }

    package func hasName(_ other: String) -> Bool { name.utf8.elementsEqual(other.utf8) }
}

extension TransferGroup: Hashable {
    /// The names bytewise: `String` treats two encodings of one accent as equal.
    package static func == (left: TransferGroup, right: TransferGroup) -> Bool {
        left.id == right.id && left.rate == right.rate && left.isArchived == right.isArchived
            && left.hasName(right.name)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(id)
    }
}

extension TransferGroup {
    /// The rate, a flag and the name.
    package var packed: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(integer: UInt32(clamping: rate))
        bytes.append(isArchived ? 1 : 0)
        return bytes + Array(name.utf8)
    }

    /// Nil if the bytes are not a group.
    package init?(id: Int64, packed: some Collection<UInt8>) {
        var reader = ByteReader(Array(packed))
        guard TransferGroupBounds.ids.contains(id), let rate = reader.integer(UInt32.self), let flag = reader.byte(),
            flag <= 1, let name = OutsideText.string(reader.rest()), TransferGroupBounds.isName(name)
        else { return nil }
        self.init(id: id, name: name, rate: Int(rate), isArchived: flag == 1)
    }
}

package enum TransferGroupBounds {
    package static let ids: Range<Int64> = 1..<1 << 31
    package static let rates = 100...5_000
    /// Of one app, archived groups included.
    package static let countMaximum = 1_000
    package static let nameBytesMaximum = 255

    package static func isName(_ text: String) -> Bool {
        (1...nameBytesMaximum).contains(text.utf8.count) && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}
