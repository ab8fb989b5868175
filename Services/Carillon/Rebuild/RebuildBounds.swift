/// How much a rebuild keeps under way.
enum RebuildBounds {
    /// Commands sent to Redis at once: a rebuild has its client for itself.
    static let pipelineMaximum = 4_096
}
