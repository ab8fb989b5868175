import JSONKit
import ServiceKit

/// What the phones of one request to the admin API have in common.
final class PhoneGroup: Sendable {
    /// The backend of the app on these phones.
    struct Backend: Sendable, Equatable {
        /// Without a slash at its end.
        let url: String
        /// Nil for a backend that needs none.
        let key: Secret?
    }

    let attributesType: String?
    let backend: Backend?
    /// The share of pushes that arrive late.
    let reorder: Double
    let delay: Duration
    let system: String

    init(
        attributesType: String? = nil, backend: Backend? = nil, reorder: Double = 0, delay: Duration = .zero,
        system: String = PhoneGroup.systemDefault
    ) {
        self.attributesType = attributesType
        self.backend = backend
        self.reorder = reorder
        self.delay = delay
        self.system = system
    }

    private static let systemDefault = "18.0"
    private static let systemWithChannels = 18

    var hasChannels: Bool {
        let major = system.utf8.prefix { $0.isASCIIDigit }.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        return major >= PhoneGroup.systemWithChannels
    }
}

extension PhoneGroup {
    private static let delayMillisecondsMaximum = 10_000
    private static let systemDigits = 1...16

    convenience init(fields: JSONFields) {
        let type = fields.text("attributes_type", bytesMaximum: 128)
        let backend = fields.object("report").flatMap(PhoneGroup.backend)
        if backend != nil, type == nil {
            fields.reject("attributes_type", message: "expected with report: push-to-start tokens are registered by it")
        }
        let reorder = fields.number("reorder", in: 0...1, expected: "a number from 0 to 1")
        let delay = fields.integer("delay_ms", in: 0...PhoneGroup.delayMillisecondsMaximum)
        let system = fields.text("system", expected: "a version such as 18.0") { PhoneGroup.isVersion($0) ? $0 : nil }
        self.init(
            attributesType: type, backend: backend, reorder: reorder ?? 0, delay: .milliseconds(delay ?? 0),
            system: system ?? PhoneGroup.systemDefault)
    }

    private static func backend(_ fields: JSONFields) -> Backend? {
        let url = fields.text("url", expected: "an http or https URL without a slash at its end", isRequired: true) {
            WebAddress($0) != nil && $0.utf8.last != UInt8(ascii: "/") ? $0 : nil
        }
        let key = fields.text("key")
        fields.rejectUnknown()
        return url.map { Backend(url: $0, key: key.map { Secret($0) }) }
    }

    private static func isVersion(_ text: String) -> Bool {
        systemDigits ~= text.utf8.count && text.utf8.first?.isASCIIDigit == true
            && text.utf8.allSatisfy { $0.isASCIIDigit || $0 == UInt8(ascii: ".") }
    }
}
