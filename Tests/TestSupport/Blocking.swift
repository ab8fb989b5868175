import ServiceKit

/// Runs a blocking body on its own thread, so that a waiting test does not occupy a thread of the shared pool.
package func blocking<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await onNativeThread("test-blocking", body: body)
}
