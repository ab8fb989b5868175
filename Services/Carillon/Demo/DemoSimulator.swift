import HTTPClient
import JSONKit

/// The demonstration's requests to the provider simulator.
struct DemoSimulator: Sendable {
    static let providers = ["apns", "fcm", "huawei"]

    let admin: String
    let http: LocalHTTP

    /// Number of pushes that each provider has accepted so far.
    func accepted() async throws -> [String: Int] {
        let statistics = try await http.get("\(admin)/stats")
        var accepted: [String: Int] = [:]
        for provider in DemoSimulator.providers { accepted[provider] = statistics[provider]?.count("accepted") ?? 0 }
        return accepted
    }

    /// The bodies of the last pushes that a provider has accepted, newest first.
    func lastPushes(_ provider: String) async throws -> [JSON] {
        let answer = try await http.get("\(admin)/pushes/\(provider)?limit=200")
        return (answer.elements ?? []).compactMap { $0["body"] }
    }
}
