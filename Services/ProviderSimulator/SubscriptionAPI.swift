import HTTPServer
import JSONKit
import ServiceKit

/// The part of the admin API that plays browsers: subscriptions in the form that a page registers.
struct SubscriptionAPI: Sendable {
    static let namesMaximum = 1_000

    let subscriptions: WebPushSubscriptions
    /// Of the Web Push service.
    let origin: String

    func add(to router: inout HTTPRouter) {
        router.on(.get, pattern: "/subscriptions/:name") { one($0) }
        router.on(.post, pattern: "/subscriptions") { many($0) }
    }

    private func one(_ request: HTTPRequest) -> HTTPResponse {
        let name = request.parameter("name")
        let text = request.queryValue("vendor") ?? WebPushSubscriptions.Vendor.any.rawValue
        guard let vendor = WebPushSubscriptions.Vendor(rawValue: text), DeviceAddress.isName(name.utf8) else {
            return Problem(
                .badRequest, detail: "expected \(SubscriptionAPI.nameForm), and as vendor \(SubscriptionAPI.vendors)"
            ).response()
        }
        return .json(subscriptions.json(of: name, at: vendor, origin: origin) + "\n")
    }

    private func many(_ request: HTTPRequest) -> HTTPResponse {
        AdminDocument.read(request) { fields in
            let vendor =
                fields.text(
                    "vendor", expected: SubscriptionAPI.vendors, convert: WebPushSubscriptions.Vendor.init) ?? .any
            let names = fields.elements(
                "names", countMinimum: 1, countMaximum: SubscriptionAPI.namesMaximum, isRequired: true
            ).compactMap { element in
                element.text(expected: SubscriptionAPI.nameForm) { DeviceAddress.isName($0.utf8) ? $0 : nil }
            }
            return (vendor: vendor, names: names)
        } perform: { wanted in
            let texts = wanted.names.map { subscriptions.json(of: $0, at: wanted.vendor, origin: origin) }
            return .json("[" + texts.joined(separator: ",\n") + "]\n")
        }
    }

    private static let nameForm = "a name of letters, digits, -, _ and . with at most 256 bytes"
    private static let vendors = WebPushSubscriptions.Vendor.allCases.map(\.rawValue).joined(separator: " or ")
}
