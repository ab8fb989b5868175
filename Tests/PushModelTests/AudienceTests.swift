import PushModel
import TestSupport
import Testing

@Suite struct AudienceTests {
    /// The topics that each device of a small segment is subscribed to, and whether it is live.
    private typealias World = [UInt16: (isLive: Bool, topics: [TopicName: SubscriptionOptions])]

    /// Goal: set algebra over a segment selects the same devices as evaluating each one alone.
    @Test(arguments: Dice.seeds)
    func selectsAsIfEveryDeviceWereAsked(seed: UInt64) throws {
        var dice = Dice(seed: seed)
        let topics = try (0..<5).map { try TopicName("t\($0)") }
        for _ in 0..<300 {
            let world = world(topics, dice: &dice)
            let audience = audience(topics, depth: 4, dice: &dice)
            let live = SegmentSet(world.filter(\.value.isLive).keys)
            let chosen = audience.select(live: live, members: members(topics, world: world))
            let asked = world.filter { $0.value.isLive && matches(audience, topics: $0.value.topics) }
            #expect(chosen.members == SegmentSet(asked.keys), "\(audience)")
            let silent = asked.filter { isSilent(audience, topics: $0.value.topics) }
            #expect(chosen.silent == SegmentSet(silent.keys), "\(audience)")
        }
    }

    /// Goal: an audience never selects a device that has none of the necessary topics.
    @Test(arguments: Dice.seeds)
    func necessaryTopicsAreNecessary(seed: UInt64) throws {
        var dice = Dice(seed: seed)
        let topics = try (0..<4).map { try TopicName("t\($0)") }
        for _ in 0..<500 {
            let audience = audience(topics, depth: 4, dice: &dice)
            guard let necessary = audience.necessaryTopics else { continue }
            let others = topics.filter { !necessary.contains($0) }
            #expect(
                !matches(audience, topics: Dictionary(uniqueKeysWithValues: others.map { ($0, []) })), "\(audience)")
        }
    }

    @Test func topicsAreNamedOnceInTheirOrder() throws {
        let (a, b, c) = (try TopicName("a"), try TopicName("b"), try TopicName("c"))
        let audience = Audience.any([.topic(b), .not(.all([.topic(a), .topic(b)])), .everyone, .topic(c), .topic(a)])
        #expect(audience.topics == [b, a, c])
        #expect(audience.necessaryTopics == nil)
        #expect(Audience.all([.not(.topic(a)), .any([.topic(b), .topic(c)])]).necessaryTopics == [b, c])
        #expect(Audience.any([]).necessaryTopics == [])
        #expect(Audience.all([]).necessaryTopics == nil)
    }

    @Test func depthTopicsAndPartsHaveBounds() throws {
        let topic = try TopicName("a")
        let deep = (0..<7).reduce(Audience.topic(topic)) { inner, _ in .not(inner) }
        try deep.checkBounds()
        #expect(throws: InvalidValueError("is nested 9 deep (maximum 8)")) { try Audience.not(deep).checkBounds() }
        let topics = try (0..<65).map { Audience.topic(try TopicName("t\($0)")) }
        try Audience.any(Array(topics.dropLast())).checkBounds()
        #expect(throws: InvalidValueError("names 65 topics (maximum 64)")) { try Audience.any(topics).checkBounds() }
        try Audience.all([Audience](repeating: .topic(topic), count: 255)).checkBounds()
        #expect(throws: InvalidValueError("has 257 parts (maximum 256)")) {
            try Audience.all([Audience](repeating: .everyone, count: 256)).checkBounds()
        }
    }

    private func world(_ topics: [TopicName], dice: inout Dice) -> World {
        var world: World = [:]
        for _ in 0..<30 {
            var subscriptions: [TopicName: SubscriptionOptions] = [:]
            for topic in topics where dice.chance(2, of: 5) {
                subscriptions[topic] = dice.chance(1, of: 2) ? .ignoreMessage : []
            }
            world[UInt16(dice.number(below: DeviceIndex.segmentCapacity))] = (dice.chance(4, of: 5), subscriptions)
        }
        return world
    }

    /// Topics without members are left out.
    private func members(_ topics: [TopicName], world: World) -> [TopicName: TopicMembers] {
        var members: [TopicName: TopicMembers] = [:]
        for (offset, device) in world {
            for (topic, options) in device.topics {
                var found = members[topic] ?? TopicMembers(members: SegmentSet(), ignoring: SegmentSet())
                found.members.insert(offset)
                if options.contains(.ignoreMessage) { found.ignoring.insert(offset) }
                members[topic] = found
            }
        }
        return members
    }

    private func audience(_ topics: [TopicName], depth: Int, dice: inout Dice) -> Audience {
        switch dice.number(below: depth == 0 ? 3 : 8) {
        case 0: return .everyone
        case 1, 2: return .topic(topics[dice.number(below: topics.count)])
        case 3: return .not(audience(topics, depth: depth - 1, dice: &dice))
        case let kind:
            let parts = (0..<dice.number(below: 4)).map { _ in audience(topics, depth: depth - 1, dice: &dice) }
            return kind.isMultiple(of: 2) ? .all(parts) : .any(parts)
        }
    }

    private func matches(_ audience: Audience, topics: [TopicName: SubscriptionOptions]) -> Bool {
        switch audience {
        case .everyone: true
        case .topic(let topic): topics[topic] != nil
        case .not(let inner): !matches(inner, topics: topics)
        case .all(let parts): parts.allSatisfy { matches($0, topics: topics) }
        case .any(let parts): parts.contains { matches($0, topics: topics) }
        }
    }

    /// Subscriptions that made the device a member: from matching parts, and never from a `not`.
    private func matched(
        _ audience: Audience, topics: [TopicName: SubscriptionOptions]
    ) -> [SubscriptionOptions] {
        guard matches(audience, topics: topics) else { return [] }
        switch audience {
        case .everyone, .not: return []
        case .topic(let topic): return topics[topic].map { [$0] } ?? []
        case .all(let parts), .any(let parts): return parts.flatMap { matched($0, topics: topics) }
        }
    }

    private func isSilent(_ audience: Audience, topics: [TopicName: SubscriptionOptions]) -> Bool {
        let options = matched(audience, topics: topics)
        return !options.isEmpty && options.allSatisfy { $0.contains(.ignoreMessage) }
    }
}
