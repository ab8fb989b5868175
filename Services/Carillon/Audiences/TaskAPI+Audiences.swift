import HTTPClient
import JSONKit
import ServiceKit

extension TaskAPI {
    func audienceNames() async throws -> [String] {
        guard let names = try await send(.get, "/audiences")["audiences"]?.elements else {
            throw APIError(.foreign, description: "the API response is not a list of audiences")
        }
        return names.compactMap(\.text)
    }

    func audience(_ name: String) async throws -> JSON {
        guard let audience = try await send(.get, path(name))["audience"] else {
            throw APIError(.foreign, description: "the API response is not an audience")
        }
        return audience
    }

    func saveAudience(_ audience: JSON, as name: String) async throws {
        _ = try await send(.put, path(name), body: audience)
    }

    func removeAudience(_ name: String) async throws {
        _ = try await send(.delete, path(name))
    }

    /// The number of devices in all, and by platform.
    func count(audience: JSON) async throws -> JSON {
        try await send(
            .post, "/audiences/count", body: .object(JSONObject([("audience", audience)])), deadline: .seconds(60))
    }

    private func path(_ name: String) -> String { "/audiences/\(PercentEncoding.encode(name))" }
}
