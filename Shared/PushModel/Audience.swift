/// Selects devices of an app by their subscriptions.
package indirect enum Audience: Hashable, Sendable {
    case everyone
    case topic(TopicName)
    case not(Audience)
    case all([Audience])
    case any([Audience])

    package static let topicsMaximum = 64
    package static let depthMaximum = 8
    /// Maximum number of all nodes, including connectives.
    package static let partsMaximum = 256

    /// The topics it names, each once, in the order of their first mention.
    package var topics: [TopicName] {
        var topics: [TopicName] = []
        var known: Set<TopicName> = []
        visitTopics { if known.insert($0).inserted { topics.append($0) } }
        return topics
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
    }

    private var depth: Int {
        switch self {
        case .everyone, .topic: 1
        case .not(let inner): 1 + inner.depth
        case .all(let parts), .any(let parts): 1 + (parts.map(\.depth).max() ?? 0)
        }
    }

    private var partCount: Int {
        switch self {
        case .everyone, .topic: 1
        case .not(let inner): 1 + inner.partCount
        case .all(let parts), .any(let parts): parts.reduce(1) { $0 + $1.partCount }
        }
    }

    private func visitTopics(_ visit: (TopicName) -> Void) {
        switch self {
        case .everyone: break
        case .topic(let topic): visit(topic)
        case .not(let inner): inner.visitTopics(visit)
        case .all(let parts), .any(let parts): for part in parts { part.visitTopics(visit) }
        }
    }
}
