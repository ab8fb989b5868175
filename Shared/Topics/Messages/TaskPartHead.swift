package import PushModel
import ServiceKit

/// Which part of a task's list a message is, for a reader that passes the bytes on: the lists of one request have up to
/// 40 MB. Only the beginning is read if it has the form that `TaskPart` writes; otherwise the whole message is decoded.
package struct TaskPartHead: TopicMessage, Equatable {
    private static let opening = Array(#"{"version":1,"task":""#.utf8)
    private static let middle = Array(#"","part":"#.utf8)
    private static let closing = Array(#","entries":["#.utf8)
    private static let ending = Array("]}".utf8)
    /// Characters of a task id.
    private static let idLength = 36
    private static let digitsMaximum = 6

    package let task: TaskID
    package let number: Int
    /// True if its entries have contents of their own.
    package let hasContents: Bool
    private let bytes: [UInt8]

    package func encoded() -> [UInt8] { bytes }

    package init(decoding bytes: [UInt8]) throws {
        self.bytes = bytes
        if let (task, number) = TaskPartHead.read(bytes) {
            (self.task, self.number) = (task, number)
            hasContents = TaskPartHead.endsWithChoices(bytes)
        } else if case .part(let part) = try TaskMessage(decoding: bytes) {
            (task, number) = (part.task, part.number)
            hasContents = !part.contents.isEmpty
        } else {
            throw MalformedMessageError("expected a part of a list, found a task")
        }
    }

    /// A part with contents ends with the numbers of its entries' contents, another one with an entry.
    private static func endsWithChoices(_ bytes: [UInt8]) -> Bool {
        guard let last = bytes.dropLast(ending.count).last, bytes.suffix(ending.count).elementsEqual(ending) else {
            return false
        }
        return 0x30...0x39 ~= last
    }

    private static func read(_ bytes: [UInt8]) -> (TaskID, Int)? {
        guard bytes.starts(with: opening) else { return nil }
        let id = bytes.dropFirst(opening.count).prefix(idLength)
        let afterID = bytes[id.endIndex...]
        guard afterID.starts(with: middle) else { return nil }
        let digits = afterID.dropFirst(middle.count).prefix(digitsMaximum).prefix { 0x30...0x39 ~= $0 }
        guard bytes[digits.endIndex...].starts(with: closing), digits.count == 1 || digits.first != 0x30,
            let task = OutsideText.string(id).flatMap({ TaskID($0) }),
            let number = OutsideText.string(digits).flatMap({ Int($0) })
        else { return nil }
        return (task, number)
    }
}
