import JSONKit
import PushModel
import TaskModel

/// Audiences are evaluated with sets; this target evaluates them device by device and compares.
enum AudienceTarget {
    private static let deviceCount: UInt16 = 8

    private struct Verdict {
        var isMember: Bool
        var isAlerted = false
        var isIgnoring = false
    }

    static func run(_ bytes: [UInt8]) throws {
        var input = FuzzInput(bytes)
        let topics = try ["a", "b", "c", "d"].map { try TopicName($0) }
        let live = set(input.byte())
        var members: [TopicName: TopicMembers] = [:]
        for topic in topics {
            let all = set(input.byte())
            members[topic] = TopicMembers(members: all, ignoring: set(input.byte()).intersection(all))
        }
        let matching: [DeviceFilter: SegmentSet] = [
            .user(true): set(input.byte()), .platform(.ios): set(input.byte()),
            .language(try LanguageRange("fr")): set(input.byte()),
        ]
        let filters = matching.keys.sorted { "\($0)" < "\($1)" }
        let audience = audience(&input, topics: topics, filters: filters, depth: 1)
        try checkRoundTrip(audience)
        let selected = audience.select(live: live, members: members, matching: matching)
        for device in 0..<deviceCount {
            let world = World(live: live, members: members, matching: matching)
            let verdict = verdict(audience, device: device, in: world)
            let isChosen = verdict.isMember && live.contains(device)
            let isSilent = isChosen && verdict.isIgnoring && !verdict.isAlerted
            try FuzzError.check(
                selected.members.contains(device) == isChosen, message: "\(audience) differs for \(device)")
            try FuzzError.check(
                selected.silent.contains(device) == isSilent, message: "\(audience) alerts \(device) wrongly")
        }
    }

    private static func set(_ bits: UInt8) -> SegmentSet {
        SegmentSet((0..<deviceCount).filter { bits >> $0 & 1 == 1 })
    }

    private static func audience(
        _ input: inout FuzzInput, topics: [TopicName], filters: [DeviceFilter], depth: Int
    ) -> Audience {
        let choice = input.number(below: depth < Audience.depthMaximum ? 6 : 3)
        switch choice {
        case 0: return .topic(topics[input.number(below: topics.count)])
        case 1: return .everyone
        case 2: return .filter(filters[input.number(below: filters.count)])
        case 3: return .not(audience(&input, topics: topics, filters: filters, depth: depth + 1))
        default:
            let parts = (0...input.number(below: 3)).map { _ in
                audience(&input, topics: topics, filters: filters, depth: depth + 1)
            }
            return choice == 4 ? .all(parts) : .any(parts)
        }
    }

    private static func checkRoundTrip(_ audience: Audience) throws {
        let problems = JSONProblems()
        let again = Audience(JSONFields(try JSON(audience.json.compactBytes), problems: problems))
        try FuzzError.check(again == audience && problems.all.isEmpty, message: "\(audience) reads back differently")
    }

    private struct World {
        let live: SegmentSet
        let members: [TopicName: TopicMembers]
        let matching: [DeviceFilter: SegmentSet]
    }

    private static func verdict(_ audience: Audience, device: UInt16, in world: World) -> Verdict {
        switch audience {
        case .everyone: return Verdict(isMember: world.live.contains(device))
        case .saved: return Verdict(isMember: false)
        case .filter(let filter): return Verdict(isMember: world.matching[filter]?.contains(device) ?? false)
        case .topic(let topic):
            guard let found = world.members[topic], found.members.contains(device) else {
                return Verdict(isMember: false)
            }
            let isIgnoring = found.ignoring.contains(device)
            return Verdict(isMember: true, isAlerted: !isIgnoring, isIgnoring: isIgnoring)
        case .not(let inner):
            return Verdict(
                isMember: world.live.contains(device) && !verdict(inner, device: device, in: world).isMember)
        case .all(let parts), .any(let parts):
            let verdicts = parts.map { verdict($0, device: device, in: world) }
            var isMember = verdicts.contains(where: \.isMember)
            if case .all = audience { isMember = world.live.contains(device) && verdicts.allSatisfy(\.isMember) }
            return Verdict(
                isMember: isMember, isAlerted: verdicts.contains { $0.isMember && $0.isAlerted },
                isIgnoring: verdicts.contains { $0.isMember && $0.isIgnoring })
        }
    }
}
