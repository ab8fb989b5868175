import Apps
import CommandKit
import PushModel
import ServiceKit

/// An app as `carillon apps list` shows it: without keys, of which only the ids are known.
struct ListedApp {
    static let header = ["APP", "KEY", "SCOPES", "EXPIRES", "IDENTIFIERS", "PROVIDERS"]

    let app: PushApp
    let now: Timestamp

    var row: [String] {
        let keys = app.credentials.map { ($0.id, AppsAdd.text($0.rights), expiry(of: $0)) }
        let ranges = app.allowed.map { ("from \($0.range)", AppsAdd.text($0.scopes), "") }
        let entries = keys + ranges
        return [
            "\(app.id)", lines(entries.map(\.0)), lines(entries.map(\.1)), lines(entries.map(\.2)),
            lines(
                TaskDialect.allCases.flatMap { dialect in
                    (app.identifiers[dialect] ?? []).map { "\(dialect.rawValue) \($0)" }
                }),
            lines(providers),
        ]
    }

    var json: String {
        JSONText.object { json in
            json.member("app", app.id.text)
            json.member("keys", json: ListedApp.list(app.credentials.map(document)))
            json.member("addresses", json: ListedApp.list(app.allowed.map(document)))
            json.member("identifiers") { identifiers in
                for dialect in TaskDialect.allCases {
                    guard let names = app.identifiers[dialect], !names.isEmpty else { continue }
                    identifiers.member(dialect.rawValue, json: JSONText.array(names))
                }
            }
            json.member("providers", json: JSONText.array(providers))
        }
    }

    private func document(_ credential: Credential) -> String {
        JSONText.object { json in
            json.member("id", credential.id)
            json.member("scopes", json: JSONText.array(credential.scopes.sorted().map(\.rawValue)))
            json.member("public", credential.rights.isPublic)
            json.member("origins", json: JSONText.array(credential.rights.origins.map { "\($0)" }))
            json.member("created", credential.created.description)
            json.member("expires", json: credential.expires.map { JSONText.quoted($0.description) } ?? "null")
            json.member("valid", credential.isValid(at: now))
        }
    }

    private func document(_ allowed: AllowedRange) -> String {
        JSONText.object { json in
            json.member("range", "\(allowed.range)")
            json.member("scopes", json: JSONText.array(allowed.scopes.sorted().map(\.rawValue)))
        }
    }

    private func expiry(of credential: Credential) -> String {
        guard let expires = credential.expires else { return "never" }
        return credential.isValid(at: now) ? "\(expires)" : "expired"
    }

    private var providers: [String] {
        PushProtocol.ofDevices.filter { app.providers.has($0) }.map(\.name)
    }

    private static func list(_ objects: [String]) -> String {
        "[" + objects.joined(separator: ",") + "]"
    }

    private func lines(_ texts: [String]) -> String {
        texts.joined(separator: "\n")
    }
}
