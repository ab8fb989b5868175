import MemoryStore
import PushModel
import RedisClient
import Store
import TestSupport
import Testing

/// Goal: cover cases that no single test covers. Method: both ledgers go through the same random life of a task, in
/// which senders crash, messages are duplicated and late, and time jumps. Their answers must be equal and match a
/// model. A failure names its seed and the last steps.
@Suite(.timeLimit(.minutes(5))) struct LedgerModelTests {
    @Test(arguments: 1...30)
    func bothLedgersKeepTheBook(seed: Int) async throws {
        let stored = try await StoreKind.redis.ledger()
        let time = stored.time
        let pair = LedgerPair(plain: MemoryLedger(time: time), stored: stored.ledger, task: stored.task)
        var model = LedgerModel(seed: UInt64(seed), pair: pair, time: time)
        let plan = model.plan
        _ = try await pair.ask { try await $0.plan(pair.task, as: plan) }
        do {
            for _ in 0..<400 { try await model.step() }
            try await model.finish()
        } catch {
            let violation = (error as? LedgerModel.ViolationError) ?? model.violation("\(error)")
            Issue.record("seed \(seed): \(violation)")
        }
        await stored.redis?.close()
    }
}
