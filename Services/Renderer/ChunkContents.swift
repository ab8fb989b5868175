import PushModel

/// What the devices of a chunk are rendered from.
struct ChunkContents: Sendable {
    /// With the content of all devices that have none of their own.
    let task: CachedTask
    /// The task with each of the listed contents that its devices get.
    private(set) var listed: [ContentNumber: CachedTask] = [:]

    init(_ task: CachedTask) {
        self.task = task
    }

    mutating func add(_ other: [ContentNumber: CachedTask]) {
        listed.merge(other) { known, _ in known }
    }

    /// Nil if the archive does not have the part with that content.
    func source(of content: ContentNumber) -> CachedTask? {
        content == .ofTask ? task : listed[content]
    }
}
