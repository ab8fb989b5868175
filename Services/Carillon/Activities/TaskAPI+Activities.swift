import CommandKit
import HTTPClient
import JSONKit
import PushModel
import ServiceKit

extension TaskAPI {
    /// Those that began last first; with the cursor of the next page.
    func activities(limit: Int, before cursor: String?) async throws -> (activities: [JSON], next: String?) {
        let found = try await entries(of: "activities", at: "/activities", limit: limit, by: "before", from: cursor)
        return (found.entries, found.next)
    }

    func activity(_ id: ActivityID) async throws -> JSON {
        try await send(.get, path(id))
    }

    /// Its tokens, and what each got last; with the cursor of the next page.
    func devices(
        ofActivity id: ActivityID, limit: Int, after cursor: String?
    ) async throws -> (devices: [JSON], next: String?) {
        let found = try await entries(of: "devices", at: path(id) + "/devices", limit: limit, by: "after", from: cursor)
        return (found.entries, found.next)
    }

    /// Returns the activity's id, and the task that starts it.
    func start(_ activity: JSON, terminal: any Terminal) async throws -> JSON {
        try await submit(.post, "/activities", body: activity, terminal: terminal)
    }

    func update(_ id: ActivityID, with state: JSON, terminal: any Terminal) async throws -> JSON {
        try await submit(.patch, path(id), body: state, terminal: terminal)
    }

    func end(_ id: ActivityID, with state: JSON, terminal: any Terminal) async throws -> JSON {
        try await submit(.post, path(id) + "/end", body: state, terminal: terminal)
    }

    private func path(_ id: ActivityID) -> String { "/activities/\(PercentEncoding.encode(id.text))" }

    /// Fetched page by page; `parameter` is the name of the cursor in the query.
    private func entries(
        of name: String, at path: String, limit: Int, by parameter: String, from cursor: String?
    ) async throws -> (entries: [JSON], next: String?) {
        var (entries, next): ([JSON], String?) = ([], cursor)
        repeat {
            let page = next.map { "&\(parameter)=\(PercentEncoding.encode($0))" } ?? ""
            let count = min(limit - entries.count, TaskAPI.pageMaximum)
            let answer = try await send(.get, "\(path)?limit=\(count)\(page)")
            guard let found = answer[name]?.elements else {
                throw APIError(.foreign, description: "the API response is not a list of \(name)")
            }
            entries += found
            next = answer["next"]?.text
            // The next page is the user's to ask for: it may be empty as well.
            if found.isEmpty { break }
        } while entries.count < limit && next != nil
        return (entries, next)
    }

    /// Repeated for a while if the API does not respond: a repeat with the same key changes nothing.
    private func submit(
        _ method: HTTPClientRequest.Method, _ path: String, body: JSON, terminal: any Terminal
    ) async throws -> JSON {
        let random = SystemRandomSource()
        let key = HTTPClientRequest.Header("Idempotency-Key", "\"\(random.hexadecimal() + random.hexadecimal())\"")
        return try await TaskAPI.retrying(on: [.away], terminal: terminal, time: SystemTimeSource()) {
            let answer = try await send(method, path, body: body, fields: [key])
            guard answer["id"]?.text != nil, answer["task"]?.text != nil else {
                throw APIError(.foreign, description: "the API response names no activity and task")
            }
            return answer
        }
    }
}
