import JSONKit
import ServiceKit

extension [JSONProblems.Problem] {
    /// The JSON array `errors` of a response.
    var text: String {
        let list = map { problem in
            JSONText.object { json in
                json.member("field", problem.path)
                json.member("detail", problem.message)
            }
        }
        return "[\(list.joined(separator: ","))]"
    }
}
