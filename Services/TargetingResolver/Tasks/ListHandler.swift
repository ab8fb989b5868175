import Bus
import Store
import TaskModel
import Topics

/// Takes the parts of long lists into the archive, where the jobs of their tasks look for them. The task may come first:
/// its jobs wait.
struct ListHandler: MessageHandler {
    private static let partsAtOnce = 16

    let archive: any TaskArchive

    func handle(
        _ messages: [ReceivedMessage<TaskMessage>], context: HandlerContext
    ) async throws -> [OutgoingMessage] {
        _ = try await messages.concurrentMap(atOnce: ListHandler.partsAtOnce) { message in
            guard case .part(let part) = message.message else {
                throw PoisonMessageError("a task that came where only parts of lists do")
            }
            try await archive.keep(message.origin.value, number: part.number, of: part.task)
        }
        return []
    }

    func giveUp(_ letter: DeadLetter) async throws {
        try await archive.giveUp(taskOf: letter)
    }
}
