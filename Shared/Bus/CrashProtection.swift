package import Store

/// Dependencies for finding a message that crashes every process that handles it.
package struct CrashProtection: Sendable {
    package let starts: any MessageStarts
    /// Shared by all workers of a process: a message that may crash it is handled while no other is in flight.
    package let gate: HandlingGate

    package init(starts: any MessageStarts, gate: HandlingGate) {
        self.starts = starts
        self.gate = gate
    }
}
