import HTTP2
import JSONKit
import ServiceKit
import TestSupport

/// A simulator process with phones, and a client that sends them pushes.
struct PhoneFixture {
    let simulator: SimulatorProcess
    let client: ApplePool

    init(_ settings: [String: String] = [:]) async throws {
        simulator = try await SimulatorProcess(settings)
        client = try ApplePool(simulator)
    }

    /// Adds phones by the members of the request. Returns them as the admin API does.
    func add(_ members: String) async throws -> [JSON] {
        let answer = try await simulator.admin("POST", "/phones", body: "{\(members)}")
        guard answer.status == 201, let phones = try JSON(answer.body)["phones"]?.elements else {
            throw SetupError(description: "no phones: \(answer.status) \(answer.text)")
        }
        return phones
    }

    /// Sends pushes one after the other. Returns a text such as `410 ExpiredToken` for each.
    func send(_ payloads: [String], to token: String) async throws -> [String] {
        var answers: [String] = []
        for payload in payloads { answers.append(await send(client.push(to: token, liveActivity: payload))) }
        return answers
    }

    func send(_ request: HTTP2Request) async -> String {
        let outcome = await client.pool.send(request)
        let reason = (try? JSON(outcome.text))?["reason"]?.text
        return ([outcome.status.map(String.init) ?? "unknown"] + [reason].compactMap { $0 }).joined(separator: " ")
    }

    func shown(_ query: String = "") async throws -> [JSON] {
        try JSON(try await simulator.admin("GET", "/phones" + query).body).elements ?? []
    }

    /// The only phone that is shown.
    func onlyPhone(_ query: String = "") async throws -> JSON {
        let phones = try await shown(query)
        guard let phone = phones.first, phones.count == 1 else { throw SetupError(description: "\(phones)") }
        return phone
    }

    func summary(_ query: String = "") async throws -> JSON {
        try JSON(try await simulator.admin("GET", "/phones/summary" + query).body)
    }

    func close() async {
        await client.pool.close()
    }

    func change(_ path: String, _ members: String) async throws -> Int? {
        let answer = try await simulator.admin("POST", path, body: "{\(members)}")
        return try JSON(answer.body)["changed"]?.count
    }
}

extension JSON {
    /// A whole number; nil for other values.
    var count: Int? {
        guard case .integer(let number) = self else { return nil }
        return Int(number)
    }

    /// The members with these names, which are whole numbers.
    func counts(_ names: String...) -> [Int?] { names.map { self[$0]?.count } }
}
