import PushModel
import TaskModel
import Topics

/// Entries of a task's list, each with its content if they have contents of their own.
struct ListedEntries: Sendable {
    private(set) var entries: [TargetEntry]
    /// By the place of the entry; empty if all devices get the content of the task.
    private var contents: [ListedContent] = []

    init(_ entries: [TargetEntry] = []) {
        self.entries = entries
    }

    /// All parts of one task have contents, or none has.
    mutating func add(_ part: TaskPart) {
        let listed = part.contents.enumerated().map { place, content in
            ListedContent(
                number: ContentNumber(part: part.number, place: place),
                providers: ProviderFilter(content))
        }
        entries += part.entries
        contents += part.choices.map { listed[$0] }
    }

    func content(at place: Int) -> ListedContent? {
        place < contents.count ? contents[place] : nil
    }
}

/// A content that entries of a list have.
struct ListedContent: Sendable {
    let number: ContentNumber
    /// Those for which it has a payload.
    let providers: ProviderFilter
}
