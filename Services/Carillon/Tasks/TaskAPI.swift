import CommandKit
import HTTPClient
import JSONKit
import ServiceHost
import ServiceKit

/// Client of the HTTP API for the commands about tasks, activities, devices and users.
struct TaskAPI: Sendable {
    static let deadline = Duration.seconds(15)
    /// A user's 256 devices may have tokens of 4 KiB each, and as much in other fields.
    private static let responseBytesMaximum = 4 << 20
    /// Entries per page of a list.
    static let pageMaximum = 100
    /// Status codes that permit a retry.
    private static let passing: Set = [429, 500, 502, 503, 504]
    /// Problems that permit one too: the same request is still being processed.
    private static let passingProblems: Set = ["urn:carillon:request-in-progress"]
    private static let patience = Duration.seconds(30)
    private static let retries = Backoff(first: .milliseconds(200), longest: .seconds(2))

    private let access: APIAccess
    private let client: HTTPClient

    /// Opens a client for the duration of `body`.
    static func with<Result: Sendable>(
        _ access: APIAccess, body: (TaskAPI) async throws -> Result
    ) async throws -> Result {
        var configuration = HTTPClientConfiguration(name: "api")
        configuration.responseBytesMaximum = responseBytesMaximum
        let client = HTTPClient(
            configuration: configuration,
            log: Log(service: "carillon", level: .error, sink: StandardErrorSink()), metrics: Metrics())
        do {
            let result = try await body(TaskAPI(access: access, client: client))
            await client.close(within: .zero)
            return result
        } catch let error as APIError where error.code == .foreign {
            await client.close(within: .zero)
            throw APIError(.foreign, description: "\(error); asked \(access.url)")
        } catch {
            await client.close(within: .zero)
            throw error
        }
    }

    /// Returns the tasks: one, or one for each of several users. Idempotent: a repeat with the same key creates no more.
    func post(_ task: JSON, idempotencyKey key: String) async throws -> [PostedTask] {
        let answer = try await send(.post, "/tasks", body: task, fields: [.init("Idempotency-Key", "\"\(key)\"")])
        let tasks = (answer["tasks"]?.elements ?? [answer]).map { PostedTask($0) }
        guard !tasks.isEmpty, !tasks.contains(nil) else {
            throw APIError(.foreign, description: "the API response contains no task id")
        }
        return tasks.compactMap { $0 }
    }

    /// Number of devices that match the task.
    func count(_ task: JSON) async throws -> Int {
        let answer = try await send(.post, "/tasks?dry_run=true", body: task)
        guard let devices = answer.count("devices") else {
            throw APIError(.foreign, description: "the API response contains no number of devices")
        }
        return devices
    }

    func status(of id: String) async throws -> ReportedTask {
        let answer = try await send(.get, "/tasks/\(try TaskAPI.checked(id))")
        guard let status = ReportedTask(answer) else {
            throw APIError(.foreign, description: "the API response is not a task")
        }
        return status
    }

    /// A document that may be longer than those about tasks; the path begins below `/v1`.
    func read(_ path: String, limits: JSONLimits) async throws -> JSON {
        var request = request(.get, path, body: nil, fields: [], deadline: TaskAPI.deadline)
        request.responseBytesMaximum = limits.bytesMaximum
        return try document(of: await client.send(request), limits: limits)
    }

    func cancel(_ id: String) async throws {
        _ = try await send(.post, "/tasks/\(try TaskAPI.checked(id))/cancel")
    }

    /// Newest first, or of those that wait the next first; with the cursor of the next page. Fetched page by page.
    func list(
        limit: Int, before cursor: String?, ofScheduled isOfScheduled: Bool
    ) async throws -> (tasks: [JSON], next: String?) {
        func page(limit: Int, before cursor: String?) async throws -> (tasks: [JSON], next: String?) {
            try await self.page(limit: limit, before: cursor, state: isOfScheduled ? "&state=scheduled" : "")
        }
        var (tasks, next) = try await page(limit: min(limit, TaskAPI.pageMaximum), before: cursor)
        while tasks.count < limit, let cursor = next {
            let page = try await page(limit: min(limit - tasks.count, TaskAPI.pageMaximum), before: cursor)
            guard !page.tasks.isEmpty else { return (tasks, page.next) }
            tasks += page.tasks
            next = page.next
        }
        return (tasks, next)
    }

    private func page(
        limit: Int, before cursor: String?, state: String
    ) async throws -> (tasks: [JSON], next: String?) {
        let page = cursor.map { "&before=\(PercentEncoding.encode($0))" } ?? ""
        let answer = try await send(.get, "/tasks?limit=\(limit)\(state)\(page)")
        guard let tasks = answer["tasks"]?.elements else {
            throw APIError(.foreign, description: "the API response is not a list of tasks")
        }
        return (tasks, answer["next"]?.text)
    }

    /// Retries failures with these codes for a while, such as those of an API that is restarting.
    static func retrying<Result: Sendable>(
        on codes: Set<APIError.Code>, terminal: any Terminal, time: any TimeSource,
        body: () async throws -> Result
    ) async throws -> Result {
        let deadline = time.uptime + patience
        var attempt = 1
        while true {
            do {
                return try await body()
            } catch let failure as APIError {
                guard codes.contains(failure.code), time.uptime < deadline else { throw failure }
                if attempt == 1 { terminal.complain("carillon: \(failure); retrying") }
            }
            try await time.sleep(for: retries.delay(afterAttempt: attempt, random: SystemRandomSource()))
            attempt += 1
        }
    }

    /// Contains only the suspension: the Swift 6.3.1 optimizer crashes on the rest inside an asynchronous function.
    func send(
        _ method: HTTPClientRequest.Method, _ path: String, body: JSON? = nil,
        fields: [HTTPClientRequest.Header] = [], deadline: Duration = TaskAPI.deadline
    ) async throws -> JSON {
        try document(of: await client.send(request(method, path, body: body, fields: fields, deadline: deadline)))
    }

    private func request(
        _ method: HTTPClientRequest.Method, _ path: String, body: JSON?, fields: [HTTPClientRequest.Header],
        deadline: Duration
    ) -> HTTPClientRequest {
        let prefix = access.app.map { "/apps/\($0)" } ?? ""
        var headers = [HTTPClientRequest.Header("Accept", "application/json")] + fields
        if let key = access.key { headers.append(.init("Authorization", "Bearer \(key.reveal())")) }
        if body != nil { headers.append(.init("Content-Type", "application/json")) }
        return HTTPClientRequest(
            method, url: "\(access.url)\(prefix)/v1\(path)", to: .trusted, headers: headers,
            body: body?.compactBytes ?? [], deadline: deadline)
    }

    private func document(
        of outcome: HTTPClientOutcome, limits: JSONLimits = JSONLimits()
    ) throws(APIError) -> JSON {
        switch outcome {
        case .answered(let response) where 200...299 ~= response.status:
            return response.body.isEmpty ? .null : try TaskAPI.document(response, limits: limits)
        case .answered(let response): throw refusal(response)
        case .notSent(let failure):
            throw APIError(
                .unreachable, description: "\(access.url) cannot be reached: \(failure.message)\(access.advice)")
        case .unknown(let failure):
            throw APIError(
                .away,
                description: "\(access.url) did not respond and may have processed the request: \(failure.message)")
        }
    }

    private static func document(_ response: HTTPClientResponse, limits: JSONLimits) throws(APIError) -> JSON {
        guard let json = try? JSON(response.body, limits: limits) else {
            throw APIError(.foreign, description: "the API response is not JSON")
        }
        return json
    }

    private func refusal(_ response: HTTPClientResponse) -> APIError {
        let reason = APIProblem.text(of: response, from: access.url)
        switch response.status {
        case 404: return APIError(.unknown, description: reason)
        case 401, 403:
            let hint = access.key == nil ? "; set a key with --key-file or CARILLON_KEY" : ""
            return APIError(.refused, description: reason + hint)
        default: return APIError(TaskAPI.permitsRetry(response) ? .away : .refused, description: reason)
        }
    }

    private static func permitsRetry(_ response: HTTPClientResponse) -> Bool {
        if passing.contains(response.status) { return true }
        return (try? JSON(response.body))?["type"]?.text.map(passingProblems.contains) ?? false
    }

    /// An id must not change the path of the request.
    private static func checked(_ id: String) throws(UsageError) -> String {
        let isPlain = id.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-_".utf8.contains($0) }
        guard !id.isEmpty, isPlain else { throw UsageError("\"\(id)\" is not a task id") }
        return id
    }
}
