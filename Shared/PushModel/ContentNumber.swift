/// The content of a task that a device gets: the task's own, or one of a part of its list.
package struct ContentNumber: Hashable, Sendable {
    /// The number of parts that a list may have.
    package static let partsMaximum = 1_000_000
    /// The number of contents that a part may have.
    package static let placesMaximum = 400
    private static let placeBits: UInt32 = 9

    /// The task's own content.
    package static let ofTask = ContentNumber()

    package let rawValue: UInt32

    private init() {
        rawValue = 0
    }

    package init(part: Int, place: Int) {
        precondition((0..<ContentNumber.partsMaximum).contains(part), "no list has a part \(part)")
        precondition((0..<ContentNumber.placesMaximum).contains(place), "no part has a content \(place)")
        rawValue = 1 + UInt32(part) << ContentNumber.placeBits + UInt32(place)
    }

    /// Nil if no task has such a content.
    package init?(rawValue: UInt32) {
        let (part, place) = ContentNumber.location(rawValue)
        guard rawValue == 0 || part < ContentNumber.partsMaximum && place < ContentNumber.placesMaximum else {
            return nil
        }
        self.rawValue = rawValue
    }

    /// The part and the place of the content in it; nil for the task's own.
    package var location: (part: Int, place: Int)? {
        rawValue == 0 ? nil : ContentNumber.location(rawValue)
    }

    private static func location(_ rawValue: UInt32) -> (part: Int, place: Int) {
        let packed = rawValue &- 1
        return (Int(packed >> placeBits), Int(packed & (1 << placeBits - 1)))
    }
}
