import JSONKit

extension JSON {
    /// A title, a body or both, as alerts and messages have them; nil without.
    static func alert(title: String?, body: String?) -> JSON? {
        var alert = JSONObject()
        if let title { alert["title"] = .string(title) }
        if let body { alert["body"] = .string(body) }
        return alert.names.isEmpty ? nil : .object(alert)
    }
}
