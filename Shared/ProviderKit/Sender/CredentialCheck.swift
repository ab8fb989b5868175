package import Apps
import JSONKit
package import PushModel
package import ServiceHost
import ServiceKit
import Topics

/// Asks a provider whether it accepts an app's credentials, with a push to a device that does not exist: a provider
/// complains of the credentials first, and of the device only then.
package struct CredentialCheck: Sendable {
    /// After `--check`.
    package static let operands = ["APP", "PROVIDER"]

    package let app: PushApp
    package let kind: PushProtocol
    package let push: Push

    package init(_ request: CheckRequest, apps: AppsConfiguration) async throws {
        let (name, provider) = (request.words[0], request.words[1])
        guard let kind = PushProtocol(name: provider), let push = CredentialCheck.push(by: kind) else {
            throw CheckError(description: "\(provider) is not a provider whose credentials can be checked")
        }
        let survey = await onNativeThread("apps") { AppSurvey(apps) }
        guard let found = survey.apps.first(where: { $0.id.text == name }) else {
            throw CheckError(description: "there is no valid app \(name) in \(apps.folder)")
        }
        app = found
        self.kind = kind
        self.push = push
    }

    /// The answer for a provider of these gateways.
    package func line(from gateways: AppGateways) async throws -> String {
        guard case .found(let gateway) = await gateways.gateway(for: app.id, kind) else { throw missing }
        if let obstacle = CredentialCheck.line(of: await gateway.admit(1, lane: .fast)) { return obstacle }
        let outcomes = await gateway.send([push])
        return CredentialCheck.line(of: outcomes[0])
    }

    /// The app file does not name the provider.
    package var missing: any Error { CheckError(description: "app \(app.id) has no providers.\(kind.name)") }

    /// Nil if a push may be sent.
    package static func line(of admission: Admission) -> String? {
        switch admission {
        case .admitted: nil
        case .halted(let reason): line(verdict: "refused", status: 0, reason: reason)
        case .unavailable(let reason): line(verdict: "unknown", status: 0, reason: reason)
        case .pausedFor: line(verdict: "unknown", status: 0, reason: "the provider asked for a pause")
        }
    }

    /// `{"verdict":"refused","status":403,"reason":"InvalidProviderToken"}`
    package static func line(of outcome: PushOutcome) -> String {
        let (verdict, status, reason) = judge(outcome)
        return line(verdict: verdict, status: status, reason: reason)
    }

    private static func line(verdict: String, status: UInt16, reason: String) -> String {
        JSONText.object { json in
            json.member("verdict", verdict)
            json.member("status", Int(status))
            json.member("reason", reason)
        }
    }

    private static func judge(_ outcome: PushOutcome) -> (verdict: String, status: UInt16, reason: String) {
        switch outcome {
        case .answered(let answer): (word(for: answer.verdict), answer.status, answer.reason)
        case .notSent(let reason), .unknown(let reason), .heldBack(_, let reason): ("unknown", 0, reason)
        }
    }

    private static func word(for verdict: ProviderAnswer.Verdict) -> String {
        switch verdict {
        case .delivered, .invalidDevice, .suspectDevice, .payloadRejected: "accepted"
        case .misconfigured, .refreshAuthorization: "refused"
        case .retryLater, .throttled: "unknown"
        }
    }

    /// Nil for a provider that has no credentials of its own.
    private static func push(by kind: PushProtocol) -> Push? {
        let form: (token: String, type: String, payload: PayloadTemplate)
        switch kind {
        case .apns:
            form = (
                String(repeating: "0", count: 64), "background",
                PayloadTemplate(Array(#"{"aps":{"content-available":1}}"#.utf8))
            )
        case .fcm:
            form = (
                "carillon-check", "", template(before: #"{"message":{"token":""#, after: #"","data":{"check":"1"}}}"#)
            )
        case .huawei:
            form = (
                "carillon-check", "", template(before: #"{"message":{"data":"{}","token":[""#, after: #""]}}"#)
            )
        default: return nil
        }
        let variant = RenderedVariant(
            kind: kind, priority: .normal, pushType: form.type, collapseID: "", expiration: 0, payload: form.payload)
        return Push(
            id: TaskID(high: 0, low: 0), token: form.token, isSandbox: false, content: PushContent(variant), badge: 0)
    }

    private static func template(before: String, after: String) -> PayloadTemplate {
        PayloadTemplate(parts: [Array(before.utf8), Array(after.utf8)], slots: [.token])
    }
}

struct CheckError: Error, CustomStringConvertible {
    let description: String
}
