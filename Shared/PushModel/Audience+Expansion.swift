extension Audience {
    /// Why saved audiences cannot be put in their places.
    package enum ExpansionError: Error, Hashable {
        case unknown(AudienceName)
        /// The names on the way, the first one again at the end.
        case cycle([AudienceName])
        /// It would have more parts than an audience may have.
        case tooManyParts
    }

    /// The audience with each saved one in its place. Bounded by the number of parts, since saved audiences that
    /// contain each other several times would double it at each level.
    package func expanded(_ saved: [AudienceName: Audience]) throws(ExpansionError) -> Audience {
        var expansion = Expansion(saved: saved)
        return try expansion.expand(self, below: [])
    }

    private struct Expansion {
        let saved: [AudienceName: Audience]
        var parts = 0

        mutating func expand(_ audience: Audience, below path: [AudienceName]) throws(ExpansionError) -> Audience {
            parts += 1
            guard parts <= Audience.partsMaximum else { throw .tooManyParts }
            switch audience {
            case .everyone, .topic, .filter: return audience
            case .saved(let name):
                if let first = path.firstIndex(of: name) { throw .cycle(path[first...] + [name]) }
                guard let meaning = saved[name] else { throw .unknown(name) }
                // The name is replaced, not a part of the result.
                parts -= 1
                return try expand(meaning, below: path + [name])
            case .not(let inner): return .not(try expand(inner, below: path))
            case .all(let inner): return .all(try expand(inner, below: path))
            case .any(let inner): return .any(try expand(inner, below: path))
            }
        }

        private mutating func expand(
            _ audiences: [Audience], below path: [AudienceName]
        ) throws(ExpansionError) -> [Audience] {
            var expanded: [Audience] = []
            for audience in audiences { expanded.append(try expand(audience, below: path)) }
            return expanded
        }
    }
}
