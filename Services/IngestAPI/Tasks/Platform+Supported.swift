import TaskModel

extension Platform {
    /// Platforms that pushes can be sent to.
    static let supported: [Platform] = [.ios, .android]
}
