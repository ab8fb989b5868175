/// Versions from one, and below another.
package struct AppVersionRange: Hashable, Sendable {
    package let from: AppVersion?
    package let below: AppVersion?

    package init(from: AppVersion?, below: AppVersion?) throws(InvalidValueError) {
        guard from != nil || below != nil else { throw InvalidValueError("expected from, below or both") }
        if let from, let below, from >= below { throw InvalidValueError("expected from to be lower than below") }
        self.from = from
        self.below = below
    }

    func contains(_ version: AppVersion) -> Bool {
        (from.map { version >= $0 } ?? true) && (below.map { version < $0 } ?? true)
    }
}
