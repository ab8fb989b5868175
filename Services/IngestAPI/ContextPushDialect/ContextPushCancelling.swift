import Apps
import HTTPServer
import JSONKit
import PushModel
import ServiceKit
import Store
import TaskKit

/// Cancels the message that counts for a key of the publisher, and answers what that reached.
struct ContextPushCancelling: Sendable {
    private enum Outcome: String {
        /// Nothing was sent.
        case cancelled
        /// Nothing was left to cancel.
        case sent
        case partlySent = "partly_sent"
    }

    let cancellation: TaskCancellation
    let book: ContextPushBook
    let reading: ContextPushReading

    @Sendable func cancel(_ request: HTTPRequest, unnamed: UnnamedCaller) async throws -> HTTPResponse {
        let (name, caller) = try await reading.read(request, of: unnamed) { fields, _ in
            let name = ContextPushName(fields, requiresKey: true)
            fields.rejectUnknown()
            return name
        }
        let app = caller.app.id
        guard let key = name.replacementKey(in: app), let id = try await book.current(key) else {
            throw ContextPushError.unknownMessage
        }
        guard try await !book.isStaged(id) else { throw TaskError.inProgress }
        guard let known = try await book.known(id, in: app) else { throw ContextPushError.unknownMessage }
        let status = try await book.tasks.status(of: known)
        guard case .kept(let task) = known, status.state != .closed else { return ContextPushCancelling.answer(status) }
        try await cancellation.cancel(task)
        return ContextPushCancelling.answer(try await book.tasks.status(of: known))
    }

    private static func answer(_ status: TaskStatus) -> HTTPResponse {
        let counts = status.progress?.counts ?? StateCounts()
        // A device that a sender holds may be reached in this moment.
        let sent = counts[.delivered] + counts[.unknown] + counts.open
        let cancelled = counts[.cancelled]
        let outcome: Outcome = sent == 0 ? .cancelled : cancelled == 0 ? .sent : .partlySent
        return .json(
            JSONText.object { json in
                json.member("status", outcome.rawValue)
                json.member("message_id", "\(status.id)")
                json.member("devices") { json in
                    json.member("sent", sent)
                    json.member("cancelled", cancelled)
                }
            })
    }
}
