import Bus
import ServiceKit
import Store
import TaskKit
import TaskModel
import Topics

/// Writes the parts of long lists to the archive, where the jobs of their tasks read them. The task may come first: its
/// jobs wait. The entries are decoded by these jobs.
struct ListHandler: MessageHandler {
    private static let partsAtOnce = 16

    let archive: any TaskArchive

    func handle(
        _ messages: [ReceivedMessage<TaskPartHead>], context: HandlerContext
    ) async throws -> [OutgoingMessage] {
        _ = try await messages.concurrentMap(atOnce: ListHandler.partsAtOnce) { message in
            try await archive.keep(
                message.origin.value, number: message.message.number, of: message.message.task,
                hasContents: message.message.hasContents)
        }
        return []
    }

    func giveUp(_ letter: DeadLetter) async throws {
        try await archive.giveUp(taskOf: letter)
    }
}
