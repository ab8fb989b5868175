import MemoryStore
import ServiceKit
import Store
import Synchronization

/// What the witnesses of all processes share, kept in the store: the count, and the epoch that a process began.
final class WitnessCount: Revertible {
    struct Reading: Sendable {
        let count: Int64
        let epoch: LedgerEpoch
    }

    private struct State {
        var count: Int64 = 0
        var writers: [UInt64: Int64] = [:]
        var epoch = LedgerEpoch.first
    }

    private let time: any TimeSource
    private let state = Mutex(State())

    init(time: any TimeSource) {
        self.time = time
    }

    var epoch: LedgerEpoch { state.withLock { $0.epoch } }

    func raise(by writer: UInt64) -> WitnessMemory.Answer {
        state.withLock { state in
            state.count += 1
            let before = state.writers.updateValue(state.count, forKey: writer)
            return WitnessMemory.Answer(count: state.count, before: before ?? 0)
        }
    }

    /// Begins a new epoch if a count proves that writes are lost, unless another process has begun it.
    func read(proof: Int64, floor: Int64) -> Reading {
        let now = time.now
        return state.withLock { state in
            if proof > 0, state.count - proof < WitnessMemory.leap / 2 {
                state.count = max(state.count, floor) + WitnessMemory.leap
                state.epoch = LedgerEpoch(began: now, isDoubtful: true)
            }
            return Reading(count: state.count, epoch: state.epoch)
        }
    }

    /// Ends the doubt, unless another epoch has begun.
    func trust(in epoch: LedgerEpoch) -> Bool {
        state.withLock { state in
            guard state.epoch.began == epoch.began else { return false }
            state.epoch = LedgerEpoch(began: epoch.began, isDoubtful: false)
            return true
        }
    }

    func savedState() -> @Sendable () -> Void {
        let saved = state.withLock { $0 }
        return { self.state.withLock { $0 = saved } }
    }
}
