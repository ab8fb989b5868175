import JSONKit
import PushModel

/// The options of one subscription.
enum SubscriptionForm {
    private static let ignoreMessage = "ignore_message"

    static func options(in fields: RequestFields) throws(PushdError) -> SubscriptionOptions {
        do throws(InvalidValueError) {
            return try fields.flag(ignoreMessage) == true ? .ignoreMessage : []
        } catch {
            throw .invalidField(ignoreMessage, error)
        }
    }
}
