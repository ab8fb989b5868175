import PushModel
import TaskModel

/// The providers for which a task has a payload. Bits, since every device of a broadcast is checked.
struct ProviderFilter: Sendable {
    private let bits: UInt16

    init(_ content: TaskContent) {
        self.init { content.hasContent(for: $0) }
    }

    /// Of a task with listed contents.
    init(_ platforms: Set<Platform>) {
        self.init { platforms.contains(Platform($0)) }
    }

    private init(where isContained: (PushProtocol) -> Bool) {
        bits = PushProtocol.allCases.reduce(0) { isContained($1) ? $0 | ProviderFilter.bit($1) : $0 }
    }

    func contains(_ kind: PushProtocol) -> Bool { bits & ProviderFilter.bit(kind) != 0 }

    private static func bit(_ kind: PushProtocol) -> UInt16 { 1 << UInt16(kind.rawValue) }
}
