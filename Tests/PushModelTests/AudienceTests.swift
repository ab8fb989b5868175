import PushModel
import TestSupport
import Testing

@Suite struct AudienceTests {
    private struct Member {
        let isLive: Bool
        let topics: [TopicName: SubscriptionOptions]
        let filters: Set<DeviceFilter>
    }

    private typealias World = [UInt16: Member]

    private static let filters: [DeviceFilter] = [.user(true), .platform(.ios), .platform(.android)]

    /// Goal: set algebra over a segment selects the same devices as evaluating each one alone. Filters need the records
    /// of no device outside of the widest selection.
    @Test(arguments: Dice.seeds)
    func selectsAsIfEveryDeviceWereAsked(seed: UInt64) throws {
        var dice = Dice(seed: seed)
        let topics = try (0..<5).map { try TopicName("t\($0)") }
        for _ in 0..<300 {
            let world = world(topics, dice: &dice)
            let audience = audience(topics, depth: 4, dice: &dice)
            let live = SegmentSet(world.filter(\.value.isLive).keys)
            let members = members(topics, world: world)
            let widest = audience.widest(live: live, members: members)
            let chosen = audience.select(live: live, members: members, matching: matches(in: world, among: widest))
            let asked = world.filter { $0.value.isLive && matches(audience, $0.value) }
            #expect(chosen.members == SegmentSet(asked.keys), "\(audience)")
            let silent = asked.filter { isSilent(audience, $0.value) }
            #expect(chosen.silent == SegmentSet(silent.keys), "\(audience)")
            #expect(chosen.members.subtracting(widest).isEmpty, "\(audience)")
            if audience.filters.isEmpty { #expect(chosen.members == widest, "\(audience)") }
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
            let other = Member(
                isLive: true, topics: Dictionary(uniqueKeysWithValues: others.map { ($0, []) }),
                filters: Set(AudienceTests.filters.filter { _ in dice.chance(1, of: 2) }))
            #expect(!matches(audience, other), "\(audience)")
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
        let filters = try (0..<17).map { Audience.filter(.timeZone(try TimeZonePattern("z\($0)"))) }
        try Audience.any(Array(filters.dropLast() + filters.dropLast())).checkBounds()
        #expect(throws: InvalidValueError("has 17 filters (maximum 16)")) { try Audience.any(filters).checkBounds() }
    }

    private func world(_ topics: [TopicName], dice: inout Dice) -> World {
        var world: World = [:]
        for _ in 0..<30 {
            var subscriptions: [TopicName: SubscriptionOptions] = [:]
            for topic in topics where dice.chance(2, of: 5) {
                subscriptions[topic] = dice.chance(1, of: 2) ? .ignoreMessage : []
            }
            let offset = UInt16(dice.number(below: DeviceIndex.segmentCapacity))
            world[offset] = Member(
                isLive: dice.chance(4, of: 5), topics: subscriptions,
                filters: Set(AudienceTests.filters.filter { _ in dice.chance(1, of: 2) }))
        }
        return world
    }

    private func matches(in world: World, among offsets: SegmentSet) -> [DeviceFilter: SegmentSet] {
        var matches: [DeviceFilter: SegmentSet] = [:]
        for (offset, device) in world where offsets.contains(offset) {
            for filter in device.filters { matches[filter, default: SegmentSet()].insert(offset) }
        }
        return matches
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
        switch dice.number(below: depth == 0 ? 4 : 9) {
        case 0: return .everyone
        case 1, 2: return .topic(topics[dice.number(below: topics.count)])
        case 3: return .filter(AudienceTests.filters[dice.number(below: AudienceTests.filters.count)])
        case 4: return .not(audience(topics, depth: depth - 1, dice: &dice))
        case let kind:
            let parts = (0..<dice.number(below: 4)).map { _ in audience(topics, depth: depth - 1, dice: &dice) }
            return kind.isMultiple(of: 2) ? .all(parts) : .any(parts)
        }
    }

    private func matches(_ audience: Audience, _ device: Member) -> Bool {
        switch audience {
        case .everyone: true
        case .topic(let topic): device.topics[topic] != nil
        case .filter(let filter): device.filters.contains(filter)
        case .saved: false
        case .not(let inner): !matches(inner, device)
        case .all(let parts): parts.allSatisfy { matches($0, device) }
        case .any(let parts): parts.contains { matches($0, device) }
        }
    }

    /// Subscriptions that made the device a member: from matching parts, and never from a `not`.
    private func matched(_ audience: Audience, _ device: Member) -> [SubscriptionOptions] {
        guard matches(audience, device) else { return [] }
        switch audience {
        case .everyone, .filter, .saved, .not: return []
        case .topic(let topic): return device.topics[topic].map { [$0] } ?? []
        case .all(let parts), .any(let parts): return parts.flatMap { matched($0, device) }
        }
    }

    private func isSilent(_ audience: Audience, _ device: Member) -> Bool {
        let options = matched(audience, device)
        return !options.isEmpty && options.allSatisfy { $0.contains(.ignoreMessage) }
    }
}
