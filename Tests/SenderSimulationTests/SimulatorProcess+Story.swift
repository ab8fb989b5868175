import JSONKit
import PushModel
import ServiceKit
import TestSupport

extension SimulatorProcess {
    /// Sets a fault or another change, which the simulator must accept.
    func order(_ path: String, body: String) async throws {
        let answer = try await admin("POST", path, body: body)
        guard 200..<300 ~= answer.status else { throw SetupError(description: "\(path) \(body): \(answer)") }
    }

    /// Returns a number of its statistics, such as `count("apns", "refused_by_reason", "BadDeviceToken")`; zero if
    /// there is none.
    func count(_ provider: String, path: String...) async throws -> Int {
        let value = path.reduce(try await statistics(provider) as JSON?) { $0?[$1] }
        guard case .integer(let number) = value else { return 0 }
        return Int(number)
    }

    /// Returns the number of deliveries to one device.
    func deliveries(_ provider: String, to token: String) async throws -> Int {
        let answer = try JSON(try await admin("GET", "/stats/\(provider)/devices/\(token)").body)
        guard case .integer(let number) = answer["deliveries"] else { return 0 }
        return Int(number)
    }

    /// The keys of simulated browsers, in the order of their names.
    func subscriptions(_ names: [String]) async throws -> [WebPushKeys] {
        let body = JSONText.object { $0.member("names", json: JSONText.array(names)) }
        let answer = try JSON(try await admin("POST", "/subscriptions", body: body).body)
        return try (answer.elements ?? []).map { subscription in
            guard let publicKey = subscription["keys"]?["p256dh"]?.text.flatMap({ Base64URL.decode($0) }),
                let secret = subscription["keys"]?["auth"]?.text.flatMap({ Base64URL.decode($0) }),
                let keys = WebPushKeys(publicKey: publicKey, secret: secret)
            else { throw SetupError(description: "not a subscription: \(subscription)") }
            return keys
        }
    }
}
