package import PushModel
package import Store

extension MemoryRegistry: Activities {
    package func facts(of activity: ActivityID, in space: AppID) throws(StoreError) -> ActivityFacts? {
        try read(space) { state in
            let records = ActivityFact.all(of: activity).map { state.activities.facts[$0] }
            return records[0].map { ActivityFacts(base: $0, state: records[1], end: records[2]) }
        }
    }

    package func save(
        _ record: ActivityRecord?, as fact: ActivityFact, in space: AppID
    ) async throws(StoreError) {
        try await perform(in: space) { state throws(StoreError) in
            let isNew = record != nil && fact.kind == .base && state.activities.facts[fact] == nil
            if isNew, state.activities.places.count >= ActivityBounds.countMaximum {
                throw StoreError(
                    .tooMany, message: "the app already has the maximum of \(ActivityBounds.countMaximum) activities")
            }
            return Decision(
                answer: (),
                changes: [RegistryChange(app: space, index: RegistryChange.ofApp, .activity(fact, record))])
        }
    }

    package func activities(
        after last: ActivityPlace?, limit: Int, in space: AppID
    ) throws(StoreError) -> [ActivityPlace] {
        try read(space) { Array($0.activities.places.filter { last?.precedes($0) ?? true }.prefix(limit)) }
    }

    package func oldest(
        after last: ActivityPlace?, limit: Int, in space: AppID
    ) throws(StoreError) -> [ActivityPlace] {
        try read(space) { state in
            let places = state.activities.places.reversed()
            return Array(places.filter { place in last.map { place.precedes($0) } ?? true }.prefix(limit))
        }
    }

    package func clock(of activity: ActivityID, in space: AppID) throws(StoreError) -> ActivityClock {
        try read(space) { $0.activities.clocks[activity] ?? ActivityClock() }
    }

    package func replace(
        _ clock: ActivityClock, by next: ActivityClock?, of activity: ActivityID, in space: AppID
    ) throws(StoreError) -> Bool {
        try write(space) { state in
            guard (state.activities.clocks[activity] ?? ActivityClock()) == clock else { return false }
            state.activities.clocks[activity] = next
            return true
        }
    }
}
