import ServiceKit

/// Settings of `renderer`, beside those of every service.
struct RendererConfiguration: Sendable {
    let cacheBytes: Int
    let concurrency: Int

    init(environment: inout EnvironmentReader) {
        cacheBytes = environment.bytes(
            "CARILLON_RENDERER_CACHE_BYTES", default: 64 << 20, in: 1 << 20...16 << 30,
            meaning: "Estimated memory for cached tasks and payloads; the least recently used are evicted first.")
        concurrency = environment.integer(
            "CARILLON_RENDERER_CONCURRENCY", default: 8, in: 1...1_024,
            meaning:
                "Batches processed concurrently in each lane, instead of CARILLON_WORKER_CONCURRENCY: one whose task "
                + "cannot be read waits without blocking the others.")
    }
}
