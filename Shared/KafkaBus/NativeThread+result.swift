import ServiceKit

/// Runs a call that may block on a thread of its own and suspends until it has returned.
func onNativeThread<Result: Sendable>(
    _ name: String, _ body: @escaping @Sendable () -> Result
) async -> Result {
    await withCheckedContinuation { continuation in
        NativeThread(name: name) { continuation.resume(returning: body()) }.detach()
    }
}
