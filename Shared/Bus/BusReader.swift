package import Topics

/// A consumer group and the topic or lane that it reads.
package struct BusReader: Hashable, Sendable {
    package let channel: Channel
    package let group: String

    package init(_ channel: Channel, group: String) {
        self.channel = channel
        self.group = group
    }
}
