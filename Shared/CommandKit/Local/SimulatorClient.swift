package import JSONKit

/// Requests to the admin port of the provider simulator.
package struct SimulatorClient: Sendable {
    package static let providers = ["apns", "fcm", "huawei"]

    private let admin: String
    private let http: LocalHTTP

    package init(admin: String, http: LocalHTTP) {
        self.admin = admin
        self.http = http
    }

    /// Number of pushes that each provider has accepted so far.
    package func accepted() async throws -> [String: Int] {
        let statistics = try await http.get("\(admin)/stats")
        var accepted: [String: Int] = [:]
        for provider in SimulatorClient.providers { accepted[provider] = statistics[provider]?.count("accepted") ?? 0 }
        return accepted
    }

    /// The bodies of the last pushes that a provider has accepted, newest first.
    package func lastPushes(_ provider: String) async throws -> [JSON] {
        let answer = try await http.get("\(admin)/pushes/\(provider)?limit=200")
        return (answer.elements ?? []).compactMap { $0["body"] }
    }
}
