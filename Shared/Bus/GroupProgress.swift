/// How far a consumer group is in a topic or lane.
package struct GroupProgress: Hashable, Sendable {
    /// Messages that the group has not handled yet.
    package var waiting: Int
    /// Messages that the group has handled since the topic exists, for rates: only differences between two readings are
    /// exact, because messages that were removed before the group came to them may be counted. Nil if the bus does not
    /// know it. It becomes smaller only if the topic is created again, or the group is set back.
    package var handled: Int?

    package init(waiting: Int, handled: Int?) {
        self.waiting = waiting
        self.handled = handled
    }

    /// Adds what the group has done in another partition.
    package mutating func add(_ part: GroupProgress) {
        waiting += part.waiting
        handled = handled.flatMap { sum in part.handled.map { sum + $0 } }
    }
}
