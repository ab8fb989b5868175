import ServiceKit

/// What `renderer` is configured with, beside what every service is.
struct RendererConfiguration: Sendable {
    let cacheBytes: Int
    let concurrency: Int

    init(environment: inout EnvironmentReader) {
        cacheBytes = environment.bytes(
            "CARILLON_RENDERER_CACHE_BYTES", default: 64 << 20, in: 1 << 20...16 << 30,
            meaning: "Tasks and their payloads held in memory, as estimated; those used longest ago go first.")
        concurrency = environment.integer(
            "CARILLON_RENDERER_CONCURRENCY", default: 8, in: 1...1_024,
            meaning:
                "Deliveries from the bus in work at once in each lane, in place of CARILLON_WORKER_CONCURRENCY: one whose "
                + "task cannot be read waits without holding up the others.")
    }
}
