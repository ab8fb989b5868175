import PushModel
import ServiceKit
import Store

struct SimulatedIdempotencyStore: IdempotencyStore {
    let base: any IdempotencyStore
    let seam: Seam

    func begin(
        _ request: IdempotentRequest, at now: Timestamp, for lease: Duration
    ) async throws(StoreError) -> IdempotencyVerdict {
        let request = mistaken(request)
        return try await seam.call("keys.begin") { try await base.begin(request, at: now, for: lease) }
    }

    func finish(_ request: IdempotentRequest, answer: [UInt8], until end: Timestamp?) async throws(StoreError) {
        if seam.world.bug == .keyForgotten { return try await base.forget(request) }
        let request = mistaken(request)
        try await seam.call("keys.finish") { try await base.finish(request, answer: answer, until: end) }
    }

    func release(_ request: IdempotentRequest) async throws(StoreError) {
        try await seam.call("keys.release") { try await base.release(request) }
    }

    func forget(_ request: IdempotentRequest) async throws(StoreError) {
        try await seam.call("keys.forget") { try await base.forget(request) }
    }
}

extension SimulatedIdempotencyStore {
    private func mistaken(_ request: IdempotentRequest) -> IdempotentRequest {
        guard seam.world.bug == .keyOfAnyRequest else { return request }
        return IdempotentRequest(key: request.key, fingerprint: [], holder: request.holder)
    }
}
