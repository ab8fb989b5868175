import ServiceKit

/// The client's thread: starts, drives and ends transfers. Everything here is confined to it.
final class TransferLoop {
    private let core: HTTPClientCore
    private var transfers: [TransferQueue.ID: CurlTransfer] = [:]

    init(_ core: HTTPClientCore) {
        self.core = core
    }

    /// Returns when the client is closed and no request is left.
    func run() {
        while let work = core.nextWork() {
            for start in work.starts { begin(start) }
            for (id, reason) in work.aborts { abort(id, reason: reason) }
            core.multi.perform()
            // Ended transfers make room, so the queue is checked again before waiting.
            if !finish() && work.aborts.isEmpty { core.multi.wait(atMost: work.wait) }
        }
    }

    private func begin(_ start: HTTPClientCore.Start) {
        let transfer = CurlTransfer(start.id, request: start.request, configuration: core.configuration)
        transfers[start.id] = transfer
        core.multi.add(transfer)
    }

    private func abort(_ id: TransferQueue.ID, reason: HTTPClientError) {
        guard let transfer = transfers.removeValue(forKey: id) else { return }
        core.multi.remove(transfer)
        core.finish(id, outcome: transfer.hasBegun ? .unknown(reason) : .notSent(reason))
    }

    private func finish() -> Bool {
        var hasFinished = false
        while let (transfer, code) = core.multi.nextEnd() {
            core.multi.remove(transfer)
            transfers[transfer.id] = nil
            core.finish(transfer.id, outcome: transfer.end(code).outcome)
            hasFinished = true
        }
        return hasFinished
    }
}
