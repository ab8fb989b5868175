import JSONKit
import PushModel

/// The options of one subscription.
enum SubscriptionForm {
    private static let ignoreMessage = "ignore_message"

    /// An empty text is the field's default, as a form without a choice sends it.
    static func options(in fields: RequestFields) throws(PushdRefusal) -> SubscriptionOptions {
        if fields.object[ignoreMessage]?.text?.isEmpty == true { return [] }
        do throws(InvalidValue) {
            return try fields.flag(ignoreMessage) == true ? .ignoreMessage : []
        } catch {
            throw .invalidField(ignoreMessage, error)
        }
    }
}
