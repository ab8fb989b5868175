import JSONKit
import ServiceKit

extension [JSONProblems.Problem] {
    /// As clients read them, field by field.
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
