import HTTP2
import ServiceKit
import Synchronization

/// Sends requests like the senders: several batches concurrently, each followed by the next once all its requests were
/// answered.
struct ClientLoad {
    private static let batchMaximum = 64
    let target: SendTarget
    let shape: SendShape
    let requests: Int

    func run() async throws -> SendReading {
        let lanes = max(4, (shape.inFlight + ClientLoad.batchMaximum - 1) / ClientLoad.batchMaximum)
        let pool = target.pool(shape)
        let started = Usage.now
        let failure = await send(pool, lanes: lanes, batch: shape.inFlight / lanes)
        let used = Usage.now - started
        await pool.close()
        if let failure { throw BenchError("the simulator did not accept every request: \(failure)") }
        return SendReading(requests: requests, seconds: used.seconds, cpuSeconds: used.cpuSeconds)
    }

    /// The first unsuccessful outcome.
    private func send(_ pool: HTTP2Pool, lanes: Int, batch: Int) async -> HTTP2Outcome? {
        let next = NextNumber()
        let headers = target.sharedHeaders
        return await withTaskGroup(of: HTTP2Outcome?.self) { group in
            for _ in 0..<lanes {
                group.addTask {
                    while case let start = next.take(batch), start < requests {
                        let numbers = start..<min(start + batch, requests)
                        let outcomes = await pool.send(
                            numbers.map { number in
                                HTTP2Request(
                                    .post, target.paths[number % target.paths.count], sharedHeaders: headers,
                                    body: target.body)
                            })
                        if let failure = outcomes.first(where: { !$0.isAccepted }) { return failure }
                    }
                    return nil
                }
            }
            return await group.reduce(nil) { $0 ?? $1 }
        }
    }
}

/// Assigns request numbers to the lanes.
private final class NextNumber: Sendable {
    private let next = Atomic<Int>(0)

    func take(_ count: Int) -> Int {
        next.wrappingAdd(count, ordering: .relaxed).oldValue
    }
}

extension HTTP2Outcome {
    fileprivate var isAccepted: Bool {
        guard case .answered(let response) = self else { return false }
        return response.status == 200
    }
}
