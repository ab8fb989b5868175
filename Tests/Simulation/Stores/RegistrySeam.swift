import Store

/// A seam to the registry: what is called is refused while the registry is out of use.
struct RegistrySeam: Sendable {
    let seam: Seam

    func call<Value: Sendable>(
        _ effect: StaticString, _ body: () async throws -> Value
    ) async throws(StoreError) -> Value {
        try await seam.call(effect) {
            try seam.world.registryUse.check()
            return try await body()
        }
    }
}
