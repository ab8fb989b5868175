import PushModel

/// The rate that a task shares with the other tasks of its group.
package struct GroupRate: Sendable, Hashable {
    /// Unique within the app.
    package let id: Int64
    package let perSecond: Int

    package init(id: Int64, perSecond: Int) {
        precondition(PushRate.allowed ~= perSecond, "a rate is within its allowed range")
        self.id = id
        self.perSecond = perSecond
    }
}
