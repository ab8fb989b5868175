import PushModel
import TaskModel

/// The providers for which a task has a payload. Bits, since every device of a broadcast is checked.
struct ProviderFilter: Sendable {
    private let bits: UInt16

    init(_ platforms: Set<Platform>) {
        bits = PushProtocol.allCases.reduce(0) { bits, kind in
            platforms.contains(Platform(kind)) ? bits | ProviderFilter.bit(kind) : bits
        }
    }

    func contains(_ kind: PushProtocol) -> Bool { bits & ProviderFilter.bit(kind) != 0 }

    private static func bit(_ kind: PushProtocol) -> UInt16 { 1 << UInt16(kind.rawValue) }
}
