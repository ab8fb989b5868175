package import Store

/// What a worker needs to find the message that ends every process which handles it.
package struct CrashProtection: Sendable {
    package let starts: any MessageStarts
    /// One for all workers of a process: a message that may end it is handled while no other one is.
    package let gate: HandlingGate

    package init(starts: any MessageStarts, gate: HandlingGate) {
        self.starts = starts
        self.gate = gate
    }
}
