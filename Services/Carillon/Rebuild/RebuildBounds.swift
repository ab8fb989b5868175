/// Limits of a rebuild.
enum RebuildBounds {
    /// Redis commands in flight; a rebuild does not share its client.
    static let pipelineMaximum = 4_096
}
