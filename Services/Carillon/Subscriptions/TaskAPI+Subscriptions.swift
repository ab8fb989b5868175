import HTTPClient
import JSONKit
import ServiceKit

extension TaskAPI {
    func topic(_ name: String) async throws -> JSON {
        try await send(.get, path(name))
    }

    func purgeTopic(_ name: String) async throws {
        _ = try await send(.delete, path(name))
    }

    private func path(_ name: String) -> String { "/topics/\(PercentEncoding.encode(name))" }
}
