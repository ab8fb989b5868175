/// One partition of a topic or lane.
package struct PartitionID: Hashable, Sendable, CustomStringConvertible {
    package let channel: String
    package let number: Int32

    package init(channel: String, number: Int32) {
        self.channel = channel
        self.number = number
    }

    package var description: String { "\(channel)/\(number)" }
}
