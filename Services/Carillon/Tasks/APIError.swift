import HTTPClient
import JSONKit

/// The API did not do what it was asked.
struct APIError: Error, CustomStringConvertible {
    enum Code {
        /// Nobody is there.
        case unreachable
        /// It did not answer, or says that it may later.
        case away
        /// There is no such task.
        case unknown
        case refused
        /// What answers is not this API.
        case foreign
    }

    let code: Code
    let description: String

    init(_ code: Code, description: String) {
        self.code = code
        self.description = description
    }
}

/// What the API says is wrong: `application/problem+json`, with the fields that are.
enum APIProblem {
    private static let lengthMaximum = 600

    static func text(of response: HTTPClientResponse) -> String {
        let json = try? JSON(response.body)
        let sentence = json?["detail"]?.text ?? json?["title"]?.text
        let fields = (json?["errors"]?.elements ?? []).compactMap { error -> String? in
            guard let detail = error["detail"]?.text else { return nil }
            return error["field"]?.text.map { "\($0): \(detail)" } ?? detail
        }
        let said = ([sentence].compactMap { $0 } + fields).map {
            VisibleBytes(isRaw: false).line($0, charactersMaximum: lengthMaximum)
        }
        return "the API answers \(response.status)" + (said.isEmpty ? "" : ": ") + said.joined(separator: "\n  ")
    }
}
