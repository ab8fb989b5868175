import Apps
import Bus
import ProviderKit
import PushModel
import ServiceHost
import ServiceKit
import Topics

extension APNsSender {
    /// Whether Apple accepts an app's credentials. Needs neither Redis nor a bus.
    static func check(_ request: CheckRequest, configuration: APNsSenderConfiguration) async throws -> String {
        let check = try await CredentialCheck(request, apps: configuration.sender.apps)
        guard let credentials = check.app.providers.apns, check.kind == .apns else { throw check.missing }
        let account = APNsAccount(
            credentials.proof, configuration: configuration.apns, resources: APNsResources(request.environment))
        let gate = TokenGate(tokens: account.tokens, gate: SendGate(time: request.environment.time))
        let admission = await gate.admit(1, lane: .fast)
        if let obstacle = CredentialCheck.line(of: admission) { return obstacle }
        let outcomes = await gate.send([check.push]) { pushes, token in
            guard let line = account.line(to: APNsHost(for: check.push)) else {
                return SendRound(outcomes: pushes.map { _ in APNsAccount.changed })
            }
            return SendRound(outcomes: await line.send(pushes, topic: credentials.topic, token: token))
        }
        return CredentialCheck.line(of: outcomes[0])
    }
}
