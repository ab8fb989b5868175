import Bus
import ServiceKit
import Store
import TaskKit
import TaskModel
import Topics

/// Writes the parts of long lists to the archive, where the jobs of their tasks read them. The task may come first: its
/// jobs wait.
struct ListHandler: MessageHandler {
    private static let partsAtOnce = 16

    let archive: any TaskArchive

    func handle(
        _ messages: [ReceivedMessage<TaskMessage>], context: HandlerContext
    ) async throws -> [OutgoingMessage] {
        _ = try await messages.concurrentMap(atOnce: ListHandler.partsAtOnce) { message in
            guard case .part(let part) = message.message else {
                throw PoisonMessageError("expected a part of a list, found a task")
            }
            try await archive.keep(message.origin.value, number: part.number, of: part.task)
        }
        return []
    }

    func giveUp(_ letter: DeadLetter) async throws {
        try await archive.giveUp(taskOf: letter)
    }
}
