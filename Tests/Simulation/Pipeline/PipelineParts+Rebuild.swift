import CommandKit
import RegistryLog
import ServiceKit
import Store

@testable import Carillon

extension PipelineParts {
    /// Runs `carillon rebuild` over the simulated bus and stores.
    func rebuild() async throws {
        let stores = RecoveryStores(
            ledger: ledger, archive: archive, agenda: agenda, index: retries, moments: world.moments,
            opens: world.opens, replacements: replacements,
            statistics: SimulatedTaskStatistics(base: world.statistics, seam: seam), receipts: receipts,
            traces: SimulatedTaskTraces(base: world.traces, seam: seam),
            doubt: SimulatedDoubt(witness: witness, seam: seam))
        let command = try Rebuild(CommandArguments(["--yes"], options: Rebuild.declaration.options))
        _ = try await command.run(
            on: bus, registry: registry, stores: stores, terminal: TraceTerminal(seam: seam), environment: environment)
    }
}

/// What the command prints is part of the trace.
private struct TraceTerminal: Terminal {
    let seam: Seam
    let isTerminal = false
    let columns = 80
    let styling = Styling.off
    let complaintStyling = Styling.off

    func print(_ text: String) {
        seam.world.trace.note(seam.world.loop.milliseconds, event: "\(seam.name) \(text)")
    }

    func complain(_ text: String) { print(text) }
    func redraw(_ line: String?) {}
    func confirm(_ question: String) async -> Bool? { nil }
}
