import CommandKit
import JSONKit

/// An audience as an argument of a command: JSON as in the API, or the name of a saved one.
enum AudienceText {
    static let form = "an audience as JSON, such as '{\"topic\": \"news\"}'"

    static func audience(_ text: String) throws(UsageError) -> JSON {
        do throws(JSONError) {
            return try JSON(Array(text.utf8))
        } catch {
            throw UsageError("\(error); expected \(form)")
        }
    }

    static func audienceOrName(_ text: String) throws(UsageError) -> JSON {
        guard text.utf8.first == UInt8(ascii: "{") else {
            return .object(JSONObject([("audience", .string(text))]))
        }
        return try audience(text)
    }
}
