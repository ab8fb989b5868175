/// Where a run of an import begins.
struct ImportStart: Sendable {
    let state: ImportState
    /// True if an earlier run did not reach the end: pages that follow may be done in part.
    let isContinued: Bool
}
