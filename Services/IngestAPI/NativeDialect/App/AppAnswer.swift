import Apps
import LocalTime
import PushModel
import ServiceKit
import Store

/// An app as its file describes it, without secrets and the paths of files, and the state of its providers.
struct AppAnswer: Sendable {
    let app: PushApp
    /// Of all apps.
    let outages: [ProviderRoute: Duration]
    let showsKeys: Bool

    var text: String {
        JSONText.object { json in
            json.member("app", app.id.text)
            json.member("identifiers", object: writeIdentifiers)
            json.member("providers", json: AppAnswer.list(providers))
            json.member("limits", object: writeLimits)
            json.member("quiet_hours", json: app.quietHours.map { AppAnswer.text(of: $0) } ?? "null")
            json.member("default_language", json: AppAnswer.quoted(app.defaults.language))
            json.member("default_navigate", json: AppAnswer.quoted(app.defaults.navigate))
            json.member("default_time_to_live", DurationText.print(app.defaults.timeToLive))
            json.member("report", json: AppAnswer.host(app.report?.url))
            json.member("webhook", json: AppAnswer.host(app.webhook?.url))
            json.member(
                "keys", json: showsKeys ? AppAnswer.list(app.credentials.map { AppAnswer.text(of: $0) }) : "null")
        }
    }

    private var providers: [String] {
        PushProtocol.ofDevices.filter { app.providers.has($0) }.map { kind in
            let pause = outages[ProviderRoute(app: app.id, provider: kind)]
            return JSONText.object { json in
                json.member("provider", kind.name)
                json.member("platform", Platform(kind).rawValue)
                json.member("settings", object: { write(kind, to: &$0) })
                json.member("state", pause == nil ? "ok" : "paused")
                json.member("seconds", json: pause.map { "\(Double($0.wholeMilliseconds) / 1_000)" } ?? "null")
            }
        }
    }

    private func write(_ kind: PushProtocol, to json: inout JSONText) {
        for (name, value) in app.providers.settings(of: kind) {
            if let value { json.member(name, value) }
        }
        if kind == .webpush, let key = app.webPushPublicKey { json.member("public_key", Base64URL.encode(key)) }
    }

    private func writeIdentifiers(_ json: inout JSONText) {
        for dialect in TaskDialect.allCases {
            if let names = app.identifiers[dialect] { json.member(dialect.rawValue, json: JSONText.array(names)) }
        }
    }

    private func writeLimits(_ json: inout JSONText) {
        let limits = app.limits
        json.member("devices", json: AppAnswer.number(limits.devices))
        json.member("requests_per_second", json: AppAnswer.number(limits.requestsPerSecond))
        json.member("devices_per_second", json: AppAnswer.number(limits.devicesPerSecond))
        let cap = limits.pushesPerDevice.map { cap in
            JSONText.object { json in
                json.member("count", cap.count)
                json.member("per", DurationText.print(cap.period))
            }
        }
        json.member("pushes_per_device", json: cap ?? "null")
    }

    private static func text(of hours: QuietHours) -> String {
        JSONText.object { json in
            json.member("start", timeOfDay(hours.start))
            json.member("end", timeOfDay(hours.end))
            json.member("time_zone", hours.timeZone)
        }
    }

    private static func timeOfDay(_ minutes: Int) -> String {
        let parts = [minutes / 60, minutes % 60]
        return parts.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }

    private static func text(of credential: Credential) -> String {
        JSONText.object { json in
            json.member("id", credential.id)
            json.member("scopes", json: JSONText.array(credential.scopes.sorted().map(\.rawValue)))
            json.member("public", credential.rights.isPublic)
            json.member("created", "\(credential.created)")
            json.member("expires", json: quoted(credential.expires.map { "\($0)" }))
        }
    }

    /// The rest of an address may be a secret.
    private static func host(_ url: String?) -> String {
        quoted(url.flatMap { WebAddress($0) }?.host)
    }

    private static func number(_ value: Int?) -> String { value.map { "\($0)" } ?? "null" }

    private static func quoted(_ text: String?) -> String { text.map { JSONText.quoted($0) } ?? "null" }

    private static func list(_ elements: [String]) -> String { "[\(elements.joined(separator: ","))]" }
}

extension ProviderCredentials {
    /// Names and numbers that are no secrets, as the app file calls them.
    fileprivate func settings(of kind: PushProtocol) -> [(name: String, value: String?)] {
        switch kind {
        case .apns, .liveActivity, .channel: apns.map { ProviderCredentials.settings(of: $0) } ?? []
        case .fcm: [("project", fcm?.project)]
        case .huawei: [("client_id", huawei?.clientID), ("project", huawei?.project)]
        case .webpush: [("contact", webpush?.contact)]
        case .wns: [("client_id", wns?.clientID), ("tenant", wns?.tenant)]
        case .mpns, .http: []
        }
    }

    private static func settings(of apns: APNsCredentials) -> [(name: String, value: String?)] {
        switch apns.proof {
        case .token(_, let keyID, let teamID):
            [("team_id", teamID), ("key_id", keyID), ("topic", apns.topic)]
        case .certificate: [("topic", apns.topic)]
        }
    }
}
