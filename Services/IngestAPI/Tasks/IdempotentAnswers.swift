import Apps
import Bus
import HTTPServer
import JSONKit
import PushModel
import ServiceKit
import Signing
import Store

/// Executes a request once per key and replays the stored response to repeats. A request without a key is executed each
/// time.
struct IdempotentAnswers: Sendable {
    /// A response, and when the last of its tasks begins, if that is later: the key is kept for a day from then on.
    struct Answer: Sendable {
        let response: HTTPResponse
        let begins: Timestamp?

        init(_ response: HTTPResponse, begins: Timestamp? = nil) {
            self.response = response
            self.begins = begins
        }
    }

    /// What is to be done about a request.
    enum Beginning: Sendable {
        case answered(HTTPResponse)
        /// It is to be carried out. The claim is nil without a key.
        case begun(TaskSeed, IdempotentRequest?)
    }

    static let replayed = HTTPField("Idempotency-Replayed", "true")

    private let store: any IdempotencyStore
    private let lease: Duration
    private let log: Log
    private let time: any TimeSource
    private let random: any RandomSource

    init(_ store: any IdempotencyStore, lease: Duration, environment: WorkerEnvironment) {
        self.store = store
        self.lease = lease
        log = environment.log
        time = environment.time
        random = environment.random
    }

    /// `prepare` and `carryOut` run only if the key has no answer yet. `prepare` has no effect: after an error of it, the
    /// key may be used for a corrected request. After an error of `carryOut`, only the same request may be repeated,
    /// and then creates the same tasks.
    func answer<Prepared: Sendable>(
        _ key: SubmissionKey?, of caller: AuthorizedCaller, prepare: (TaskSeed) async throws -> Prepared,
        carryOut: (Prepared) async throws -> Answer
    ) async throws -> HTTPResponse {
        switch try await begin(key, of: caller) {
        case .answered(let response): return response
        case .begun(let seed, nil): return try await carryOut(prepare(seed)).response
        case .begun(let seed, let claim?):
            let prepared = try await perform(claim, undo: forget) { try await prepare(seed) }
            let answer = try await perform(claim, undo: release) { try await carryOut(prepared) }
            await finish(claim, answer: answer)
            return answer.response
        }
    }

    /// A caller that is to carry out the request ends its claim with `finish`, `forget` or `release`.
    func begin(_ key: SubmissionKey?, of caller: AuthorizedCaller) async throws -> Beginning {
        guard let key else { return .begun(freshSeed(), nil) }
        let claim = claim(key, caller: caller)
        switch try await store.begin(claim, at: time.now, for: lease) {
        case .inProgress: throw TaskError.inProgress
        case .otherRequest: throw TaskError.otherRequest
        case .answered(let bytes):
            guard var response = HTTPResponse(kept: bytes) else {
                throw StoreError(.corrupt, message: "a stored response cannot be decoded")
            }
            response.headers.append(IdempotentAnswers.replayed)
            return .answered(response)
        case .begun(let start): return .begun(TaskSeed(claim, start: start), claim)
        }
    }

    /// Also replays the answer to requests with another key, which has none yet. The caller does not depend on it.
    func keep(_ answer: Answer, under key: SubmissionKey, of caller: AuthorizedCaller) async {
        let claim = claim(key, caller: caller)
        await attempt("response not stored for repeats") { () async throws(StoreError) in
            guard case .begun = try await store.begin(claim, at: time.now, for: lease) else { return }
            await finish(claim, answer: answer)
        }
    }

    private func perform<Value: Sendable>(
        _ claim: IdempotentRequest, undo: (IdempotentRequest) async -> Void, step: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await step()
        } catch {
            await undo(claim)
            throw error
        }
    }

    private static let stillHeld = "idempotency key stays held until its lease expires"

    /// The request is refused and had no effect: another may use its key.
    func forget(_ claim: IdempotentRequest) async {
        await attempt(IdempotentAnswers.stillHeld) { () async throws(StoreError) in try await store.forget(claim) }
    }

    /// The request failed, and may have had an effect.
    func release(_ claim: IdempotentRequest) async {
        await attempt(IdempotentAnswers.stillHeld) { () async throws(StoreError) in try await store.release(claim) }
    }

    /// The work is durable: if the response is lost, a repeat of the request does the same again under the same ids.
    func finish(_ claim: IdempotentRequest, answer: Answer) async {
        await attempt("response of an idempotency key not stored") { () async throws(StoreError) in
            try await store.finish(
                claim, answer: answer.response.kept, until: answer.begins.map { $0 + IdempotencyBounds.retention })
        }
    }

    private func attempt(_ failure: String, step: () async throws(StoreError) -> Void) async {
        do throws(StoreError) {
            try await step()
        } catch {
            log.warning(failure, [.error: "\(error)"])
        }
    }

    private func claim(_ key: SubmissionKey, caller: AuthorizedCaller) -> IdempotentRequest {
        let name = [caller.app.id.text, caller.credential, key.name].joined(separator: "\u{0}")
        return IdempotentRequest(
            key: SHA256.digest(of: Array(name.utf8)), fingerprint: key.fingerprint, holder: random.next())
    }

    /// That of a request without a key.
    func freshSeed() -> TaskSeed { TaskSeed(created: time.now, random: random) }
}

extension HTTPResponse {
    /// Status, header fields and body, with invalid UTF-8 replaced.
    fileprivate var kept: [UInt8] {
        guard case .bytes(let body) = body else { preconditionFailure("a streamed response cannot be replayed") }
        let text = JSONText.object { json in
            json.member("status", status.code)
            json.member("names", json: JSONText.array(headers.map(\.name)))
            json.member("values", json: JSONText.array(headers.map(\.value)))
            json.member("body", OutsideText.replacing(body))
        }
        return Array(text.utf8)
    }

    fileprivate init?(kept bytes: [UInt8]) {
        guard let json = try? JSON(bytes), case .integer(let status) = json["status"], 200...599 ~= status,
            let names = json["names"]?.elements, let values = json["values"]?.elements, let body = json["body"]?.text
        else { return nil }
        let fields = zip(names, values).map { HTTPField($0.text ?? "", $1.text ?? "") }
        self.init(HTTPStatus(Int(status)), headers: fields, body: .bytes(Array(body.utf8)))
    }
}
