import PushModel
import ServiceKit
import Store

/// A random history of a registry from a seed: commits as a service would make them, and the resulting state.
struct History {
    private(set) var commits: [[RegistryChange]] = []
    private(set) var truth: [SegmentID: ModelStore.Segment] = [:]
    private var next: [SegmentID: UInt16] = [:]
    private let random: SeededRandomSource

    init(seed: UInt64, steps: Int, apps: Int = 2, segments: UInt32 = 3) throws {
        random = SeededRandomSource(seed: seed)
        let places = try (0..<apps).flatMap { app in
            try (0..<segments).map { SegmentID(try AppID("app-\(app)"), number: SegmentNumber(rawValue: $0 * 7)) }
        }
        for step in 0..<steps { try take(step, in: pick(places)) }
    }

    var changes: [RegistryChange] { commits.flatMap { $0 } }

    var visible: [SegmentID: ModelStore.Segment] {
        truth.filter { !$0.value.devices.isEmpty }
    }

    private mutating func take(_ step: Int, in segment: SegmentID) throws {
        let living = (truth[segment]?.devices.keys).map(Array.init)?.sorted() ?? []
        guard !living.isEmpty, random.next() % 10 > 2 else { return try register(in: segment) }
        let offset = pick(living)
        switch random.next() % 8 {
        case 0: remove(offset, in: segment)
        case 1: commit([.badge(UInt32(random.next() % 100))], offset: offset, segment: segment)
        case 2...3:
            var device = truth[segment]?.devices[offset]
            let point = [UInt8](repeating: UInt8(truncatingIfNeeded: offset), count: 64)
            if offset.isMultiple(of: 3) {
                device?.webPushKeys = WebPushKeys(publicKey: [4] + point, secret: Array(point.prefix(16)))
            }
            device?.language = pick(["de", "en", "ru"])
            device?.aliases[.externalUser] = random.next() % 2 == 0 ? "user-\(random.next() % 20)" : nil
            commit([.device(device)], offset: offset, segment: segment)
        default:
            let topic = try TopicName("topic-\(random.next() % 12)")
            let isEnd = random.next() % 3 == 0
            let options: SubscriptionOptions = random.next() % 4 == 0 ? .ignoreMessage : []
            commit([.subscription(topic, isEnd ? nil : options)], offset: offset, segment: segment)
        }
    }

    private mutating func register(in segment: SegmentID) throws {
        let offset = next[segment, default: 0]
        next[segment] = offset + 1
        let token = (0..<32).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        var device = Device(
            tag: UInt32(truncatingIfNeeded: random.next()),
            token: try PushToken(.apns, text: Hexadecimal.encode(token)),
            created: 1_000)
        device.language = "en"
        commit([.device(device)], offset: offset, segment: segment)
    }

    private mutating func remove(_ offset: UInt16, in segment: SegmentID) {
        let topics = truth[segment]?.subscriptions[offset]?.keys.sorted() ?? []
        commit(topics.map { .subscription($0, nil) } + [.badge(nil), .device(nil)], offset: offset, segment: segment)
    }

    private mutating func commit(_ contents: [RegistryChange.Content], offset: UInt16, segment: SegmentID) {
        let index = DeviceIndex(segment: segment.number, offset: offset)
        let changes = contents.map { RegistryChange(app: segment.app, index: index, $0) }
        commits.append(changes)
        for change in changes { truth[segment, default: .init()].apply(change) }
        if truth[segment]?.subscriptions[offset]?.isEmpty == true { truth[segment]?.subscriptions[offset] = nil }
    }

    private func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int(random.next() % UInt64(elements.count))]
    }
}
