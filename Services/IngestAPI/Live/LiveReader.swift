import PushModel
import ServiceKit

/// Reads what live streams show.
struct LiveReader: Sendable {
    let book: TaskBook
    let pipeline: PipelineState

    /// A JSON object; the same text as before if nothing has changed.
    func read(_ subject: LiveSubject) async throws -> String {
        switch subject {
        case .app(let app): return try await state(of: app)
        case .task(let id, let app):
            let task = try await book.task(id, of: app)
            return try await book.status(of: task).text
        }
    }

    private func state(of app: AppID) async throws -> String {
        let page = try await book.page(of: app, before: nil, limit: TaskPage.limit)
        let view = await pipeline.view(for: app)
        return JSONText.object { json in
            json.member("tasks", json: "[\(page.statuses.map(\.text).joined(separator: ","))]")
            json.member("providers", json: view.providers)
            json.member("servers", json: view.servers)
            json.member("stages", json: view.stages)
            json.member("store", json: view.store)
        }
    }
}
