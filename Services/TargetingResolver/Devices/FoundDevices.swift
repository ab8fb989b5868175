/// The devices of a job or of a small task.
struct FoundDevices: Sendable {
    var selected: [SelectedDevices] = []
    /// Entries of the list that name no device of the app.
    var unmatched = 0
}
