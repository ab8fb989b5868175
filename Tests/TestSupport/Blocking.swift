import ServiceKit

/// Runs a blocking body on a thread of its own, so that a waiting test does not hold one of the few shared ones.
package func blocking<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
    await onNativeThread("test-blocking", body: body)
}
