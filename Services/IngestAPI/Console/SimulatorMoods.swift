import HTTPClient
import HTTPServer
import JSONKit
import ServiceKit
import Synchronization

/// The moods of the simulated providers, set through the simulator's admin API.
final class SimulatorMoods: Sendable {
    private static let deadline = Duration.seconds(5)
    private static let unavailable = TaskError.unavailable("The simulator does not answer.")

    private let address: String
    private let client: HTTPClient
    /// The mood set last. Faults that were set otherwise are not known here.
    private let mood = Mutex(SimulatorMood.healthy)

    init(_ address: String, client: HTTPClient) {
        self.address = address
        self.client = client
    }

    func answer() async throws -> HTTPResponse {
        let mood = try await hasFaults() ? mood.withLock { $0 } : .healthy
        return .json(
            JSONText.object { json in
                let names = SimulatorMood.allCases.map { JSONText.quoted($0.rawValue) }
                json.member("moods", json: "[\(names.joined(separator: ","))]")
                json.member("mood", mood.rawValue)
            })
    }

    /// Replaces all faults.
    func set(_ new: SimulatorMood) async throws {
        let providers = try await faults().map(\.provider)
        try await call(.delete)
        if let fault = new.fault {
            for provider in providers {
                try await call(.post, body: "{\"provider\":\(JSONText.quoted(provider)),\(fault)}")
            }
        }
        mood.withLock { $0 = new }
    }

    func close() async {
        await client.close(within: .seconds(1))
    }

    private func hasFaults() async throws -> Bool {
        try await faults().contains { !$0.faults.isEmpty }
    }

    private func faults() async throws -> [(provider: String, faults: [JSON])] {
        guard let faults = try? JSON(try await call(.get)), let members = faults.object?.members else {
            throw SimulatorMoods.unavailable
        }
        return members.map { ($0.0, $0.1.elements ?? []) }
    }

    @discardableResult
    private func call(_ method: HTTPClientRequest.Method, body: String = "") async throws -> [UInt8] {
        let headers = body.isEmpty ? [] : [HTTPClientRequest.Header("Content-Type", "application/json")]
        let outcome = await client.send(
            HTTPClientRequest(
                method, url: "\(address)/faults", to: .trusted, headers: headers, body: Array(body.utf8),
                deadline: SimulatorMoods.deadline))
        guard case .answered(let response) = outcome, 200..<300 ~= response.status else {
            throw SimulatorMoods.unavailable
        }
        return response.body
    }
}
