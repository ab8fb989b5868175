package import JSONKit
import ServiceKit

/// Requests to the admin port of the provider simulator.
package struct SimulatorClient: Sendable {
    package static let providers = ["apns", "fcm", "huawei", "webpush", "wns", "mpns", "http"]

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

    /// The subscriptions of simulated browsers, at most 1,000, in the order of their names.
    package func subscriptions(_ names: [String]) async throws -> [JSON] {
        let body = JSONText.object { $0.member("names", json: JSONText.array(names)) }
        let answer = try await http.post("\(admin)/subscriptions", body: body, type: "application/json")
        return answer.elements ?? []
    }

    /// The bodies of the last pushes that a provider has accepted, newest first.
    package func lastPushes(_ provider: String) async throws -> [JSON] {
        let answer = try await http.get("\(admin)/pushes/\(provider)?limit=200")
        return (answer.elements ?? []).compactMap { $0["body"] }
    }
}
