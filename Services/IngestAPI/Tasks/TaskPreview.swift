import JSONKit
import PushModel
import Rendering
import ServiceKit

/// The answer to a request for previews.
struct TaskPreview: Sendable {
    let previews: PayloadPreviews
    let problems: [JSONProblems.Problem]

    var text: String {
        JSONText.object { json in
            json.member("previews", json: "[\(previews.all.map(\.text).joined(separator: ","))]")
            json.member("omitted", previews.omitted)
            json.member("problems", json: "[\(problems.map { TaskPreview.text(of: $0) }.joined(separator: ","))]")
        }
    }

    private static func text(of problem: JSONProblems.Problem) -> String {
        JSONText.object { json in
            json.member("path", problem.path)
            json.member("message", problem.message)
        }
    }
}

extension PayloadPreview {
    fileprivate var text: String {
        JSONText.object { json in
            json.member("platform", Platform(kind).rawValue)
            json.member("provider", kind.name)
            json.member("language", json: language.map { JSONText.quoted($0) } ?? "null")
            json.member("title", json: title.map { JSONText.quoted($0) } ?? "null")
            json.member("body", json: body.map { JSONText.quoted($0) } ?? "null")
            json.member("bytes", payload.count)
            json.member("bytes_maximum", bytesMaximum)
            json.member("payload", OutsideText.replacing(payload))
        }
    }
}
