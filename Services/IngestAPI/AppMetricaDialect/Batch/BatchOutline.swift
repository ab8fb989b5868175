import PushModel
import ServiceKit

/// What a request to `send-batch` contains: where its messages and ids stand in the body. It takes 24 bytes for each
/// element of one id, so that the body need not be built in memory.
struct BatchOutline: Sendable {
    struct Element: Sendable {
        /// The place of the object `messages`.
        let messagesStart: Int32
        let messagesCount: Int32
        /// The end of its lists among all lists.
        let listsEnd: Int32
    }

    struct List: Sendable {
        let type: BatchIDType
        let count: Int32
        /// The place of the array `id_values`.
        let start: Int32
    }

    var group: Int64 = 0
    var clientID: Int64?
    var tag = ""
    var elements: [Element] = []
    var lists: [List] = []
    var idCount = 0
    /// For each task of the request the number of its ids: what an id gets from its second element is sent by the
    /// second task, and so on.
    var taskIDCounts: [Int] = []
    /// Places of elements with messages of a length that a provider might refuse, and that the element before does not
    /// have.
    var longMessages: [Int32] = []
    /// True if all elements have the same messages.
    var isUniform = true
    /// Addressed by any of the messages.
    var platforms: Set<Platform> = []
    /// The longest of all messages.
    var timeToLive = Duration.zero
    /// Why nothing is sent: the request is accepted, and its status is `failed`.
    var failures: [String] = []
    /// Names that are not part of the API, each once; they are ignored.
    var unknownNames: [String] = []

    /// Of an element by its place.
    func lists(of element: Int) -> Range<Int> {
        (element == 0 ? 0 : Int(elements[element - 1].listsEnd))..<Int(elements[element].listsEnd)
    }

    func messages(of element: Int) -> Range<Int> {
        let start = Int(elements[element].messagesStart)
        return start..<(start + Int(elements[element].messagesCount))
    }
}
