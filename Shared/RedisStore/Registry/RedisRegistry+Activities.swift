package import PushModel
import RedisClient
import ServiceKit
package import Store

extension RedisRegistry: Activities {
    /// Activities of one millisecond that a page may have to pass over.
    private static let passedOver = 100

    package func facts(of activity: ActivityID, in space: AppID) async throws(StoreError) -> ActivityFacts? {
        try await within(space) { scope in
            let fields = ActivityFact.all(of: activity).map(\.field)
            let records = try await read(fields, of: \.activities, in: scope).map { value throws(StoreError) in
                try RedisRegistry.record(value)
            }
            guard records.count == fields.count, let base = records[0] else { return nil }
            return ActivityFacts(base: base, state: records[1], end: records[2])
        }
    }

    package func save(
        _ record: ActivityRecord?, as fact: ActivityFact, in space: AppID
    ) async throws(StoreError) {
        try await within(space) { scope in
            if record != nil, fact.kind == .base { try await checkRoom(for: fact, in: scope) }
            try await commit([.activity(fact, record)], in: scope)
        }
    }

    package func activities(
        after last: ActivityPlace?, limit: Int, in space: AppID
    ) async throws(StoreError) -> [ActivityPlace] {
        try await within(space) { scope in
            let first = last.map { RedisArgument($0.time.milliseconds) } ?? "+inf"
            let found = try await list(
                "ZREVRANGEBYSCORE", from: first, to: "-inf", limit: limit + RedisRegistry.passedOver, in: scope)
            return Array(found.places.filter { last?.precedes($0) ?? true }.prefix(limit))
        }
    }

    package func oldest(
        after last: ActivityPlace?, limit: Int, in space: AppID
    ) async throws(StoreError) -> [ActivityPlace] {
        try await within(space) { scope in
            let first = last.map { RedisArgument($0.time.milliseconds) } ?? "-inf"
            let found = try await list(
                "ZRANGEBYSCORE", from: first, to: "+inf", limit: limit + RedisRegistry.passedOver, in: scope)
            return Array(found.places.filter { place in last.map { place.precedes($0) } ?? true }.prefix(limit))
        }
    }

    package func clock(of activity: ActivityID, in space: AppID) async throws(StoreError) -> ActivityClock {
        try await within(space) { scope in
            let field = RedisArgument(activity.text)
            let value = try await read([field], of: \.activityClocks, in: scope).first
            return try RedisActivityClocks.clock(value ?? .null)
        }
    }

    package func replace(
        _ clock: ActivityClock, by next: ActivityClock?, of activity: ActivityID, in space: AppID
    ) async throws(StoreError) -> Bool {
        try await within(space) { scope in
            try await replace(
                RedisArgument(activity.text), RedisArgument(clock == ActivityClock() ? [] : clock.packed),
                by: RedisArgument(next?.packed ?? []), of: \.activityClocks, in: scope)
        }
    }
}

extension RedisRegistry {
    private struct Listing {
        var places: [ActivityPlace] = []
        var count = 0
    }

    /// Two requests at once may exceed the maximum by one each.
    private func checkRoom(for fact: ActivityFact, in scope: AppScope) async throws(StoreError) {
        let known = try await read([fact.field], of: \.activities, in: scope).first
        guard known?.isNull != false else { return }
        let count = try await list("ZRANGEBYSCORE", from: "-inf", to: "+inf", limit: 0, in: scope).count
        guard count < ActivityBounds.countMaximum else {
            throw StoreError(
                .tooMany, message: "the app already has the maximum of \(ActivityBounds.countMaximum) activities")
        }
    }

    private func list(
        _ command: RedisArgument, from first: RedisArgument, to last: RedisArgument, limit: Int, in scope: AppScope
    ) async throws(StoreError) -> Listing {
        let place = RegistryChange.ofApp.segment
        guard try await exists(place, in: scope) else { return Listing() }
        let keys = SegmentKeys(scope.segment(place))
        let reply = try await redis.run(
            ScriptCall(
                RegistryScripts.listActivities, keys: [keys.header, keys.activityTimes],
                arguments: [RedisArgument(scope.generation.id), command, first, last, RedisArgument(limit)]))
        guard let parts = reply.array, let count = parts.last?.integer.flatMap(Int.init(exactly:)) else {
            throw RedisRegistry.corruptActivity
        }
        var listing = Listing(count: count)
        for position in stride(from: 0, to: parts.count - 1, by: 2) {
            guard let activity = parts[position].string.flatMap({ try? ActivityID($0) }),
                let time = parts[position + 1].string.flatMap({ Double($0) }).flatMap({ Int64(exactly: $0) })
            else { throw RedisRegistry.corruptActivity }
            listing.places.append(ActivityPlace(activity, time: Timestamp(milliseconds: time)))
        }
        return listing
    }

    private static func record(_ value: RedisValue) throws(StoreError) -> ActivityRecord? {
        guard !value.isNull else { return nil }
        guard let record = ActivityRecord(packed: value.bytes ?? []) else { throw corruptActivity }
        return record
    }

    private static var corruptActivity: StoreError {
        StoreError(.corrupt, message: "invalid data in Redis: cannot decode an activity")
    }
}

extension ActivityFact {
    var field: RedisArgument { RedisArgument("\(kind.letter):\(activity)") }
}
