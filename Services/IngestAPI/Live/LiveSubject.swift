import PushModel

/// What a live stream follows. Streams that follow the same are sent the same bytes.
enum LiveSubject: Hashable, Sendable {
    /// An app's newest tasks, and the state of the pipeline.
    case app(AppID)
    case task(TaskID, of: AppID)

    /// The name of its events.
    var event: String {
        switch self {
        case .app: "app"
        case .task: "task"
        }
    }
}
