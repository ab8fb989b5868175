package import PushModel
package import ServiceKit
package import Store
package import TaskModel

/// Reads and changes Live Activities. Facts are written first, and then the clock, which decides what is sent when: an
/// interruption in between leaves a state that the next publication sends.
package struct ActivityBook: Sendable {
    /// Each attempt fails because another request changed the clock.
    private static let attemptsMaximum = 64

    private let activities: any Activities
    private let time: any TimeSource

    package init(_ activities: any Activities, time: any TimeSource) {
        self.activities = activities
        self.time = time
    }

    /// Nil for an unknown activity.
    package func activity(_ id: ActivityID, in space: AppID) async throws(StoreError) -> KnownActivity? {
        guard let facts = try await activities.facts(of: id, in: space) else { return nil }
        return try KnownActivity(id, facts: facts)
    }

    package func clock(of id: ActivityID, in space: AppID) async throws(StoreError) -> ActivityClock {
        try await activities.clock(of: id, in: space)
    }

    package func places(
        after last: ActivityPlace?, limit: Int, in space: AppID
    ) async throws(StoreError) -> [ActivityPlace] {
        try await activities.activities(after: last, limit: limit, in: space)
    }

    package func oldest(
        after last: ActivityPlace?, limit: Int, in space: AppID
    ) async throws(StoreError) -> [ActivityPlace] {
        try await activities.oldest(after: last, limit: limit, in: space)
    }

    package var now: Timestamp { time.now }

    /// Stores an activity whose phones were sent a state with this timestamp, or none, if it is zero. One of the same
    /// name that has ended is replaced; its timestamps go on. A start that is stored already stays as it is.
    package func begin(
        _ id: ActivityID, base: ActivityBase, state: ActivityState?, timestamp: Int64, in space: AppID
    ) async throws(StoreError) {
        let known = try await activity(id, in: space)?.base
        if let known, known.isBegun, known.start != nil, known.start == base.start { return }
        let now = time.now
        var unfinished = base
        unfinished.isBegun = false
        try await save(unfinished, of: id, begun: now, in: space)
        try await save(state.map { ActivityRecord(time: now, content: $0.encoded) }, as: .state, of: id, in: space)
        try await save(nil, as: .end, of: id, in: space)
        try await change(id, in: space) { $0.begin(timestamp: timestamp, at: now) }
        try await save(base, of: id, begun: now, in: space)
    }

    package func save(
        _ base: ActivityBase, of id: ActivityID, begun: Timestamp, in space: AppID
    ) async throws(StoreError) {
        try await save(ActivityRecord(time: begun, content: base.encoded), as: .base, of: id, in: space)
    }

    /// Stores a state, or the end, and returns the task that sends it: with a pending publication if that task is not
    /// durable yet.
    package func put(
        _ state: ActivityState, isEnd: Bool, task: TaskID, of id: ActivityID, in space: AppID
    ) async throws(StoreError) -> (task: TaskID, pending: ActivityClock.Pending?) {
        let now = time.now
        try await save(
            ActivityRecord(time: now, content: state.encoded), as: isEnd ? .end : .state, of: id, in: space)
        // Another request may have stored a later one since.
        let stamp = try await activity(id, in: space)?.newest?.stamp ?? state.stamp
        return try await change(id, in: space) { $0.request(stamp: stamp, isEnd: isEnd, task: task, at: now) }
    }

    package func noteSent(_ task: TaskID, of id: ActivityID, in space: AppID) async throws(StoreError) {
        try await change(id, in: space) { $0.noteSent(task) }
    }

    /// What the task sends from now on, in each of its attempts. Nil if a later state was sent, or the activity is
    /// forgotten.
    ///
    /// The clock is read before the state: a state that is requested in between changes the clock, and is read then.
    package func release(
        _ task: TaskID, of id: ActivityID, in space: AppID
    ) async throws(StoreError) -> Release? {
        for _ in 0..<ActivityBook.attemptsMaximum {
            let clock = try await activities.clock(of: id, in: space)
            guard let activity = try await activity(id, in: space), let newest = activity.newest else { return nil }
            var next = clock
            // A clock that was lost goes on behind whatever may have been sent.
            let now = time.now
            next.pass(activity.changed, at: now)
            let publication = next.release(
                task, stamp: newest.stamp, isUrgent: newest.isUrgent, content: newest.encoded, at: now)
            guard let publication else { return nil }
            guard let state = ActivityState(decoding: next.content) else {
                throw StoreError(.corrupt, message: "the clock of an activity has an unreadable state")
            }
            let isEnd = activity.end?.stamp == state.stamp
            let release = Release(activity: activity, publication: publication, state: state, isEnd: isEnd)
            if next == clock { return release }
            if try await activities.replace(clock, by: next, of: id, in: space) { return release }
        }
        throw ActivityBook.contention
    }

    /// A state that is sent from now on.
    package struct Release: Sendable {
        package let activity: KnownActivity
        package let publication: ActivityClock.Publication
        package let state: ActivityState
        package let isEnd: Bool
    }

    package func forget(_ id: ActivityID, in space: AppID) async throws(StoreError) {
        // The base last: without it nothing finds the rest.
        for fact in ActivityFact.all(of: id).reversed() { try await activities.save(nil, as: fact, in: space) }
        let clock = try await activities.clock(of: id, in: space)
        _ = try await activities.replace(clock, by: nil, of: id, in: space)
    }

    private func save(
        _ record: ActivityRecord?, as kind: ActivityFact.Kind, of id: ActivityID, in space: AppID
    ) async throws(StoreError) {
        guard record.map({ $0.content.count <= ActivityRecord.bytesMaximum }) ?? true else {
            throw StoreError(
                .tooMany, message: "too long: an activity has at most \(ActivityRecord.bytesMaximum) bytes")
        }
        try await activities.save(record, as: ActivityFact(kind, of: id), in: space)
    }

    @discardableResult
    private func change<Answer: Sendable>(
        _ id: ActivityID, in space: AppID, _ change: (inout ActivityClock) -> Answer
    ) async throws(StoreError) -> Answer {
        for _ in 0..<ActivityBook.attemptsMaximum {
            let clock = try await activities.clock(of: id, in: space)
            var next = clock
            let answer = change(&next)
            if next == clock { return answer }
            if try await activities.replace(clock, by: next, of: id, in: space) { return answer }
        }
        throw ActivityBook.contention
    }

    private static var contention: StoreError {
        StoreError(.unavailable, message: "too many updates of one activity at once")
    }
}
