import HTTPClient
import JSONKit

/// A request to the API that failed.
struct APIError: Error, CustomStringConvertible {
    enum Code {
        /// No connection to the API.
        case unreachable
        /// No response, or a response that permits a retry.
        case away
        /// No such task or device.
        case unknown
        case refused
        /// The response does not come from this API.
        case foreign
    }

    let code: Code
    let description: String

    init(_ code: Code, description: String) {
        self.code = code
        self.description = description
    }
}

/// Text of an `application/problem+json` response, with the invalid fields.
enum APIProblem {
    private static let lengthMaximum = 600

    static func text(of response: HTTPClientResponse, from url: String) -> String {
        let json = try? JSON(response.body)
        let sentence = json?["detail"]?.text ?? json?["title"]?.text
        let fields = (json?["errors"]?.elements ?? []).compactMap { error -> String? in
            guard let detail = error["detail"]?.text else { return nil }
            return error["field"]?.text.map { "\($0): \(detail)" } ?? detail
        }
        let said = ([sentence].compactMap { $0 } + fields).map {
            VisibleBytes(isRaw: false).line($0, charactersMaximum: lengthMaximum)
        }
        return "\(url) responded with \(response.status)" + (said.isEmpty ? "" : ": ") + said.joined(separator: "\n  ")
    }
}
