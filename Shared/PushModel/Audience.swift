/// Selects devices of an app by their subscriptions and records.
package indirect enum Audience: Hashable, Sendable {
    case everyone
    case topic(TopicName)
    case filter(DeviceFilter)
    /// A saved audience, until a task is accepted: tasks contain what it means.
    case saved(AudienceName)
    case not(Audience)
    case all([Audience])
    case any([Audience])

    package static let topicsMaximum = 64
    /// Each one is evaluated for every device in question.
    package static let filtersMaximum = 16
    package static let depthMaximum = 8
    /// Maximum number of all nodes, including connectives.
    package static let partsMaximum = 256

    /// The topics it names, each once, in the order of their first mention.
    package var topics: [TopicName] { topics(excluded: true) }

    /// The topics outside of every `not`: those whose subscribers it addresses.
    package var includedTopics: [TopicName] { topics(excluded: false) }

    /// True if it selects every subscriber of the topic, or for nil every device, whatever records and other topics
    /// say. False where that depends on them.
    package func selectsAll(of topic: TopicName?) -> Bool {
        switch self {
        case .everyone: true
        case .topic(let name): name == topic
        case .filter, .saved, .not: false
        case .all(let parts): parts.allSatisfy { $0.selectsAll(of: topic) }
        case .any(let parts): parts.contains { $0.selectsAll(of: topic) }
        }
    }

    private func topics(excluded: Bool) -> [TopicName] {
        var topics: [TopicName] = []
        var known: Set<TopicName> = []
        visit(excluded: excluded) { part in
            if case .topic(let topic) = part, known.insert(topic).inserted { topics.append(topic) }
        }
        return topics
    }

    /// The filters it contains, each once. Without any, records of devices are not needed.
    package var filters: Set<DeviceFilter> {
        var filters: Set<DeviceFilter> = []
        visit { if case .filter(let filter) = $0 { filters.insert(filter) } }
        return filters
    }

    /// The saved audiences it refers to, each once.
    package var savedNames: Set<AudienceName> {
        var names: Set<AudienceName> = []
        visit { if case .saved(let name) = $0 { names.insert(name) } }
        return names
    }

    /// Checked when a publisher's request becomes an audience, so that resolving is bounded.
    package func checkBounds() throws(InvalidValueError) {
        guard depth <= Audience.depthMaximum else {
            throw InvalidValueError("is nested \(depth) deep (maximum \(Audience.depthMaximum))")
        }
        guard partCount <= Audience.partsMaximum else {
            throw InvalidValueError("has \(partCount) parts (maximum \(Audience.partsMaximum))")
        }
        guard topics.count <= Audience.topicsMaximum else {
            throw InvalidValueError("names \(topics.count) topics (maximum \(Audience.topicsMaximum))")
        }
        guard filters.count <= Audience.filtersMaximum else {
            throw InvalidValueError("has \(filters.count) filters (maximum \(Audience.filtersMaximum))")
        }
    }

    private var depth: Int {
        switch self {
        case .everyone, .topic, .filter, .saved: 1
        case .not(let inner): 1 + inner.depth
        case .all(let parts), .any(let parts): 1 + (parts.map(\.depth).max() ?? 0)
        }
    }

    private var partCount: Int {
        switch self {
        case .everyone, .topic, .filter, .saved: 1
        case .not(let inner): 1 + inner.partCount
        case .all(let parts), .any(let parts): parts.reduce(1) { $0 + $1.partCount }
        }
    }

    /// Calls the closure with each part that has no parts of its own; `excluded` includes those inside of a `not`.
    private func visit(excluded: Bool = true, _ body: (Audience) -> Void) {
        switch self {
        case .everyone, .topic, .filter, .saved: body(self)
        case .not(let inner): if excluded { inner.visit(body) }
        case .all(let parts), .any(let parts): for part in parts { part.visit(excluded: excluded, body) }
        }
    }
}
