import JSONKit
import PushModel
import ServiceKit
import Synchronization
import TaskModel
import Topics

/// Cuts the ids of a request into the parts of its tasks' lists, some at a time, so that few are in memory. The outline
/// has been checked, and each call goes on where the last one ended.
final class BatchParts: Sendable {
    private struct State {
        var occurrences: IDOccurrences
        var builders: [BatchPartBuilder]
        var element = 0
        var list = 0
        /// The rest of the list under way.
        var ids: BatchIDs?
        var isDone = false
    }

    private let bytes: [UInt8]
    private let outline: BatchOutline
    private let state: Mutex<State>

    init(_ bytes: [UInt8], outline: BatchOutline, tasks: [TaskID]) {
        self.bytes = bytes
        self.outline = outline
        state = Mutex(
            State(
                occurrences: IDOccurrences(idCount: tasks.count > 1 ? outline.idCount : 0),
                builders: tasks.map { BatchPartBuilder(task: $0, hasContents: !outline.isUniform) }))
    }

    /// At least this many parts, and a few more if they are full at the same time; none after the last.
    func next(_ count: Int) throws -> [TaskPart] {
        try state.withLock { state in
            var parts: [TaskPart] = []
            while parts.count < count, !state.isDone {
                guard let (id, type) = try nextID(&state) else {
                    state.isDone = true
                    for place in state.builders.indices { parts += state.builders[place].finish() }
                    break
                }
                parts += try add(id, of: type, to: &state)
            }
            return parts
        }
    }

    /// The lists of the tasks, once all parts are taken.
    var lists: [TargetList] {
        state.withLock { $0.builders.map(\.list) }
    }

    private func nextID(_ state: inout State) throws -> (ArraySlice<UInt8>, BatchIDType)? {
        while state.list < outline.lists.count {
            while state.list >= outline.lists(of: state.element).upperBound { state.element += 1 }
            let list = outline.lists[state.list]
            var ids = state.ids ?? BatchIDs(bytes, start: Int(list.start))
            state.ids = nil
            if let id = try ids.next() {
                state.ids = ids
                return id.text.map { ($0, list.type) }
            }
            state.list += 1
        }
        return nil
    }

    private func add(_ id: ArraySlice<UInt8>, of type: BatchIDType, to state: inout State) throws -> [TaskPart] {
        guard let entry = OutsideText.string(id).flatMap({ type.entry($0) }) else { return [] }
        let isAlone = state.builders.count == 1
        let number = isAlone ? 0 : state.occurrences.note(id, of: type, inElement: state.element)
        return try state.builders[number].add(entry, messages: bytes[outline.messages(of: state.element)])
    }
}
