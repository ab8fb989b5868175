package import PushModel
package import ServiceKit
package import Store
package import TaskModel

/// A Live Activity as it is stored.
package struct KnownActivity: Sendable {
    package let id: ActivityID
    package let base: ActivityBase
    package let begun: Timestamp
    /// The newest; nil before the first.
    package let state: ActivityState?
    package let end: ActivityState?
    package let ended: Timestamp?
    /// When the newest of all was stored.
    package let changed: Timestamp

    package init(_ id: ActivityID, facts: ActivityFacts) throws(StoreError) {
        guard let base = ActivityBase(decoding: facts.base.content) else { throw KnownActivity.corrupt(id) }
        self.id = id
        self.base = base
        begun = facts.base.time
        state = try KnownActivity.state(facts.state, of: id)
        end = try KnownActivity.state(facts.end, of: id)
        ended = facts.end?.time
        changed = [facts.base, facts.state, facts.end].compactMap { $0?.time }.max() ?? facts.base.time
    }

    /// What its phones are to show. An update that was written beside the end does not count.
    package var newest: ActivityState? { end ?? state }
    package var hasEnded: Bool { end != nil }

    private static func state(_ record: ActivityRecord?, of id: ActivityID) throws(StoreError) -> ActivityState? {
        guard let record else { return nil }
        guard let state = ActivityState(decoding: record.content) else { throw corrupt(id) }
        return state
    }

    private static func corrupt(_ id: ActivityID) -> StoreError {
        StoreError(.corrupt, message: "a fact about activity \(OutsideText.excerpt(id.text)) cannot be decoded")
    }
}
