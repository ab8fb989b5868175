import HTTPClient
import JSONKit
import ServiceKit

extension TaskAPI {
    func devices(ofUser user: String) async throws -> [JSON] {
        try await devices(at: "/users/\(PercentEncoding.encode(user))/devices")
    }

    func devices(withToken token: String, ofProtocol name: String) async throws -> [JSON] {
        let query = "token=\(PercentEncoding.encode(token))&protocol=\(PercentEncoding.encode(name))"
        return try await devices(at: "/devices?\(query)")
    }

    func device(_ id: String) async throws -> JSON {
        try await send(.get, "/devices/\(PercentEncoding.encode(id))")
    }

    func removeDevice(_ id: String) async throws {
        _ = try await send(.delete, "/devices/\(PercentEncoding.encode(id))")
    }

    func removeUser(_ user: String) async throws -> JSON {
        try await send(.delete, "/users/\(PercentEncoding.encode(user))", deadline: .seconds(120))
    }

    private func devices(at path: String) async throws -> [JSON] {
        guard let devices = try await send(.get, path)["devices"]?.elements else {
            throw APIError(.foreign, description: "the API response is not a list of devices")
        }
        return devices
    }
}
