package import Topics

/// Replaces the gateway of an app whose credentials cannot be used.
package struct BrokenGateway: PushGateway {
    package let reason: String

    package init(reason: String) {
        self.reason = reason
    }

    package func admit(_ count: Int, lane: Lane) -> Admission { .halted(reason: reason) }

    package func giveBack(_ count: Int) {}

    package func send(_ pushes: [Push]) -> [PushOutcome] { pushes.map { _ in .notSent(reason) } }
}
