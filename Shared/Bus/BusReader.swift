package import Topics

/// A group that works off a topic or lane.
package struct BusReader: Hashable, Sendable {
    package let channel: Channel
    package let group: String

    package init(_ channel: Channel, group: String) {
        self.channel = channel
        self.group = group
    }
}
