import Apps
import HTTPServer
import PushModel
import ServiceKit
import Signing
import Store
import TaskModel
import Topics

/// Accepts the requests of `send-batch`: each is a transfer of one task, or of a few if an id is in several elements.
///
/// The transfer is reserved before anything is sent, and is marked as accepted when its tasks are durable. A repeat with
/// the same client id goes on from there: it makes the same tasks, and later stages drop those that they have.
struct TransferAcceptance: Sendable {
    private static let partsAtOnce = 16
    /// Parts of a short list precede their task, where single pushes would wait for larger ones.
    private static let shortBodyBytes = 256 << 10
    /// Memory for the outline and the table of ids, of each id.
    private static let bytesOfID = 64

    let transfers: any Transfers
    let submission: TaskSubmission
    let reading: BodyReading
    let time: any TimeSource
    let random: any RandomSource

    /// The outline of a request's body, and the digest of the body.
    func read(_ request: HTTPRequest, account: String?) async throws -> (BatchOutline, fingerprint: [UInt8]) {
        let bytes = request.body.bytes
        let most = min(bytes.count / 12, TaskLimits.entriesMaximum) * TransferAcceptance.bytesOfID
        guard request.body.reserve(most) else { throw BodyError.noRoom }
        return try await reading.read(request, account: account) {
            (try BatchReader.outline(of: bytes), SHA256.digest(of: bytes))
        }
    }

    /// The transfer is durable when this returns, with its tasks or with the reason why it has none.
    func accept(
        _ outline: BatchOutline, fingerprint: [UInt8], in group: TransferGroup, request: HTTPRequest,
        of caller: AuthorizedCaller
    ) async throws -> Transfer {
        let app = caller.app.id
        if group.isArchived {
            let earlier = try await transfer(of: outline, in: app)
            return try TransferAcceptance.repeated(earlier, fingerprint: fingerprint)
        }
        let proposed = Transfer(outline, fingerprint: fingerprint, app: app, created: time.now, random: random)
        let content =
            outline.isUniform ? try content(of: 0, outline: outline, bytes: request.body.bytes) : TaskContent()
        func tasks(_ transfer: Transfer) -> TransferTasks {
            TransferTasks(transfer: transfer, group: group, outline: outline, content: content)
        }
        try await check(tasks(proposed), request: request, of: caller)
        var transfer = try await transfers.reserve(proposed, in: app)
        guard transfer.fingerprint == fingerprint else {
            throw TaskError.invalidField(
                "push_batch_request.client_transfer_id",
                message: "was used in this group for another request; use a new one for a new request")
        }
        guard !transfer.isAccepted else { return transfer }
        // What is known of its tasks may have expired, if they were sent at all.
        guard time.now < transfer.created + IdempotencyBounds.retention else { throw AppMetricaError.interrupted }
        if transfer.errors.isEmpty { try await send(tasks(transfer), request: request, of: caller) }
        transfer.isAccepted = true
        try await transfers.update(transfer, in: app)
        return transfer
    }

    private func transfer(of outline: BatchOutline, in app: AppID) async throws -> Transfer? {
        guard let id = outline.clientID else { return nil }
        return try await transfers.transfer(clientID: id, group: outline.group, in: app)
    }

    /// What a group had accepted before it was archived is answered again.
    private static func repeated(_ earlier: Transfer?, fingerprint: [UInt8]) throws(TaskError) -> Transfer {
        if let earlier, earlier.isAccepted, earlier.fingerprint == fingerprint { return earlier }
        throw .invalidField(
            "push_batch_request.group_id", message: "the group is archived; restore it, or use another")
    }

    private func send(_ tasks: TransferTasks, request: HTTPRequest, of caller: AuthorizedCaller) async throws {
        var pending = tasks.tasks(of: caller)
        let parts = BatchParts(request.body.bytes, outline: tasks.outline, tasks: pending.map(\.id))
        let isShort = request.body.bytes.count <= TransferAcceptance.shortBodyBytes
        let counts = Dictionary(zip(pending.map(\.id), tasks.outline.taskIDCounts)) { first, _ in first }
        @Sendable func next() async throws -> [TaskPart] {
            try await reading.read(request, account: caller.account) { try parts.next(TransferAcceptance.partsAtOnce) }
        }
        var some = try await next()
        while !some.isEmpty {
            // Cut while those before are sent.
            async let following = next()
            let (short, long) = some.divided { isShort && counts[$0.task] ?? 0 <= TargetList.atOnceMaximum }
            try await submission.send(long, on: Topics.lists, trace: request.traceContext)
            try await submission.send(short, on: Topics.tasks, trace: request.traceContext)
            some = try await following
        }
        for (place, list) in parts.lists.enumerated() { pending[place].target.list = list }
        try await submission.accept(pending, trace: request.traceContext)
    }

    /// Refuses messages that a provider would reject. Rendering each takes time, so only long ones are rendered.
    private func check(
        _ tasks: TransferTasks, request: HTTPRequest, of caller: AuthorizedCaller
    ) async throws {
        let outline = tasks.outline
        guard !outline.longMessages.isEmpty else { return }
        try await reading.read(request, account: caller.account) {
            for element in outline.longMessages {
                let draft = tasks.draft(try content(of: Int(element), outline: outline, bytes: request.body.bytes))
                try submission.check(draft, of: caller, field: "push_batch_request.batch[\(element)].messages")
            }
        }
    }

    private func content(of element: Int, outline: BatchOutline, bytes: [UInt8]) throws -> TaskContent {
        try AppMetricaMessages.content(of: bytes[outline.messages(of: element)])
    }
}

extension [TaskPart] {
    /// Those that match, and the others, in their order.
    fileprivate func divided(by matches: (TaskPart) -> Bool) -> (matching: [TaskPart], others: [TaskPart]) {
        (filter(matches), filter { !matches($0) })
    }
}
