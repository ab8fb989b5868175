package import PushModel
import RedisClient
import ServiceKit
package import Store

extension RedisRegistry: TopicStatistics {
    /// Segments that are read in one pipeline.
    private static let segmentsAtOnce = 256
    /// Segments that are examined in one pipeline for a first member, which most often is in the first.
    private static let examinedAtOnce = 16

    package func figures(of topic: TopicName, in app: AppID) async throws(StoreError) -> TopicFigures? {
        try await within(app) { scope in
            let subscribers = try await subscribers(of: topic, in: scope)
            guard subscribers > 0 else { return nil }
            guard let number = try await names.numbers(of: [topic], in: scope)[topic] else { return nil }
            if let count = try await counts(of: [number], in: scope).counts[0] {
                return TopicFigures(subscribers: subscribers, count: count)
            }
            // Its devices subscribed with an earlier version.
            try await begin([topic], in: scope)
            let count = try await counts(of: [number], in: scope).counts[0] ?? TopicCount(created: time.now)
            return TopicFigures(subscribers: subscribers, count: count)
        }
    }

    package func count(
        _ publications: [TopicPublication], from partition: Int32, in app: AppID
    ) async throws(StoreError) {
        try await within(app) { try await count(publications, from: partition, in: $0) }
    }

    func count(
        _ publications: [TopicPublication], from partition: Int32, in scope: AppScope
    ) async throws(StoreError) {
        let numbers = try await names.numbers(of: Array(Set(publications.map(\.topic))), in: scope)
        let known = publications.compactMap { publication in numbers[publication.topic].map { (publication, $0) } }
        guard !known.isEmpty, try await exists(RegistryChange.ofApp.segment, in: scope) else { return }
        var request = CountsRequest(scope, also: \.counted, \.recount)
        request.arguments.append(RedisArgument(Int64(partition)))
        for (publication, number) in known {
            let place = request.place(number)
            request.arguments += [
                RedisArgument(publication.offset), place, RedisArgument(Int64(number)),
                RedisArgument(publication.time.milliseconds),
            ]
        }
        do {
            _ = try await redis.run(request.call(RegistryScripts.countPublications))
        } catch {
            // The app's first segment alone is lost, with its counts, until a rebuild; the tasks go on to the others.
            guard error.code == .notReady, try await root.ready().id == scope.generation.id else { throw error }
        }
    }

    private func subscribers(of topic: TopicName, in scope: AppScope) async throws(StoreError) -> Int {
        var count = 0
        for part in try await segments(of: .topic(topic), in: scope).chunks(of: RedisRegistry.segmentsAtOnce) {
            count += try await members(of: [topic], in: Array(part), scope: scope).reduce(0) { count, segment in
                count + (segment.topics[topic]?.members.count ?? 0)
            }
        }
        return count
    }
}

// The first subscriber of a topic.
extension RedisRegistry {
    /// Topics that have no subscriber begin anew before a device subscribes: an interruption in between leaves a count
    /// without subscribers, which the next first subscriber replaces. Only topics without a member in the device's own
    /// segment are examined further.
    func beginCounts(before write: DeviceWrite, in scope: AppScope) async throws(StoreError) {
        let joined = write.changes.filter(\.isSubscription).compactMap(\.topic)
        guard !joined.isEmpty else { return }
        let numbers = try await names.numbers(of: joined, in: scope)
        let known = joined.compactMap { topic in numbers[topic].map { (topic: topic, number: $0) } }
        let place = TopicSegments.Entry(segment: write.index.segment, entered: 0)
        let isEmpty = try await haveNoMember(known.map { ($0.number, place) }, in: scope)
        let candidates = joined.filter { numbers[$0] == nil } + zip(known, isEmpty).filter { $0.1 }.map { $0.0.topic }
        guard !candidates.isEmpty else { return }
        try await begin(candidates, in: scope)
    }

    /// For each pair true if the segment has no member of the topic.
    private func haveNoMember(
        _ places: [(topic: TopicNumber, entry: TopicSegments.Entry)], in scope: AppScope
    ) async throws(StoreError) -> [Bool] {
        let replies = try await redis.run(
            places.map { topic, entry in
                let keys = SegmentKeys(scope.segment(entry.segment))
                return ScriptCall(
                    RegistryScripts.hasNoMember,
                    keys: [keys.header, keys.topics(Int(topic) % SegmentKeys.topicBucketCount)],
                    arguments: [RedisArgument(scope.generation.id), RedisArgument(Int64(topic))])
            })
        return replies.map { $0 == .integer(1) }
    }

    /// The counts are read first: if another process begins a topic meanwhile, its count stays. `taken` are counts of
    /// another system.
    func begin(
        _ topics: [TopicName], from taken: [TopicName: TopicCount] = [:], in scope: AppScope
    ) async throws(StoreError) {
        try await root.ensure(scope)
        try await allocator.ensure(RegistryChange.ofApp.segment, in: scope)
        let interned = try await names.intern(topics, in: scope)
        let numbered = interned.sorted { $0.value < $1.value }
        let present = try await counts(of: numbered.map(\.value), in: scope)
        let entries = try await topicSegments.entries(of: numbered.map(\.value), in: scope)
        var changes: [RegistryChange.Content] = []
        for ((topic, number), (before, entries)) in zip(numbered, zip(present.counts, entries)) {
            // An interrupted takeover has begun the topic already.
            if let before, before.created == taken[topic]?.created { continue }
            if before != nil, try await hasMembers(number, in: entries, scope: scope) { continue }
            let count = TopicCount(
                after: before, from: taken[topic], now: time.now, offsets: journal == nil ? [:] : present.offsets)
            changes.append(.count(topic, TopicCountChange(previous: before?.created, count: count)))
        }
        try await record(changes, in: scope)
    }

    private func hasMembers(
        _ topic: TopicNumber, in entries: [TopicSegments.Entry], scope: AppScope
    ) async throws(StoreError) -> Bool {
        for part in entries.chunks(of: RedisRegistry.examinedAtOnce) {
            if try await haveNoMember(part.map { (topic, $0) }, in: scope).contains(false) { return true }
        }
        return false
    }

    private func record(_ changes: [RegistryChange.Content], in scope: AppScope) async throws(StoreError) {
        guard !changes.isEmpty else { return }
        guard let journal else {
            _ = try await write(DeviceWrite(index: RegistryChange.ofApp, condition: .none, changes: changes), in: scope)
            return
        }
        try await journal.commit(
            changes.map { RegistryChange(app: scope.app, index: RegistryChange.ofApp, $0) })
    }
}

extension RedisRegistry {
    /// Topics whose counts are recorded together.
    private static let recordedAtOnce = 256

    /// Writes the counts that have changed to the log, from which a rebuild continues. Without a log it only forgets
    /// that they have.
    package func recordCounts() async throws(StoreError) {
        for scope in try await root.apps(in: try await root.ready()) {
            let key = SegmentKeys(scope.segment(RegistryChange.ofApp.segment)).recount
            let changed = try await redis.send(RedisCommand("HKEYS", key)).array ?? []
            let numbers = changed.compactMap { $0.integer.flatMap(TopicNumber.init(exactly:)) }
            for part in numbers.chunks(of: RedisRegistry.recordedAtOnce) {
                try await recordCounts(of: Array(part), in: scope)
            }
        }
    }

    private func recordCounts(of numbers: [TopicNumber], in scope: AppScope) async throws(StoreError) {
        let present = try await counts(of: numbers, in: scope)
        let changed = zip(numbers, present.counts).compactMap { number, count in count.map { (number, $0) } }
        if journal != nil {
            let names = try await names.names(of: changed.map(\.0), in: scope)
            try await record(
                changed.compactMap { number, count in
                    names[number].map {
                        RegistryChange.Content.count($0, TopicCountChange(count, countedTo: present.offsets))
                    }
                }, in: scope)
        }
        var request = CountsRequest(scope, also: \.recount)
        for (number, count) in changed {
            let place = request.place(number)
            request.arguments += [place, RedisArgument(Int64(number)), RedisArgument(count.text)]
        }
        _ = try await redis.run(request.call(RegistryScripts.forgetChanges))
    }

    /// The offsets to which all publications of the app are counted, and the counts in the order of the topics, all of
    /// one moment.
    private func counts(
        of topics: [TopicNumber], in scope: AppScope
    ) async throws(StoreError) -> (offsets: [Int32: Int64], counts: [TopicCount?]) {
        guard try await exists(RegistryChange.ofApp.segment, in: scope) else { return ([:], topics.map { _ in nil }) }
        var request = CountsRequest(scope, also: \.counted)
        for topic in topics {
            let place = request.place(topic)
            request.arguments += [place, RedisArgument(Int64(topic))]
        }
        let reply = try await redis.run(request.call(RegistryScripts.readCounts)).array ?? []
        guard reply.count == topics.count + 1, let pairs = reply[0].array else {
            throw StoreError(.corrupt, message: "invalid reply from Redis: cannot decode counts of publications")
        }
        var offsets: [Int32: Int64] = [:]
        for place in stride(from: 0, to: pairs.count - 1, by: 2) {
            guard let partition = pairs[place].integer.flatMap(Int32.init(exactly:)) else { continue }
            offsets[partition] = pairs[place + 1].integer
        }
        return (offsets, reply.dropFirst().map { $0.string.flatMap { TopicCount(text: $0) } })
    }
}

/// A script call over the counts of several topics.
private struct CountsRequest {
    private let segmentKeys: SegmentKeys
    private var keys: [RedisArgument]
    private var places: [TopicNumber: Int] = [:]
    var arguments: [RedisArgument]

    init(_ scope: AppScope, also others: KeyPath<SegmentKeys, RedisArgument>...) {
        let segmentKeys = SegmentKeys(scope.segment(RegistryChange.ofApp.segment))
        self.segmentKeys = segmentKeys
        keys = [segmentKeys.header] + others.map { segmentKeys[keyPath: $0] }
        arguments = [RedisArgument(scope.generation.id)]
    }

    /// Position of the topic's counts among the keys.
    mutating func place(_ topic: TopicNumber) -> RedisArgument {
        let bucket = topic / BucketKind.numbersOfBucket
        if let known = places[bucket] { return RedisArgument(known) }
        keys.append(segmentKeys.counts(topic))
        places[bucket] = keys.count
        return RedisArgument(keys.count)
    }

    func call(_ script: RedisScript) -> ScriptCall {
        ScriptCall(script, keys: keys, arguments: arguments)
    }
}

extension TopicCount {
    /// The next count of a topic is created after the previous one, since it could not replace it otherwise.
    fileprivate init(after previous: TopicCount?, from taken: TopicCount?, now: Timestamp, offsets: [Int32: Int64]) {
        let created = previous.map { max(now, $0.created + .milliseconds(1)) } ?? taken?.created ?? now
        self.init(created: created, publications: taken?.publications ?? 0, last: taken?.last, offsets: offsets)
    }
}

extension TopicCountChange {
    /// A later state of a count: everything below the offsets is in it.
    fileprivate init(_ count: TopicCount, countedTo offsets: [Int32: Int64]) {
        var count = count
        count.offsets.merge(offsets) { max($0, $1) }
        self.init(previous: count.created, count: count)
    }
}
