import HTTPServer
import JSONKit
import PushModel
import Store

/// The complete set of subscriptions of a device: the names of a JSON object or of a form. In JSON the value holds the
/// options; a value that is not an object means no options, as in pushd.
struct BulkSubscriptions {
    let topics: [TopicName: SubscriptionOptions]

    init(_ call: PushdCall) async throws {
        // An empty set removes all subscriptions, which a request that lost its body must not do.
        guard !call.request.body.isEmpty || call.request.headers.contains("Content-Type") else {
            throw PushdError.body(.malformed("The body must hold the subscriptions. To remove all of them, send {}."))
        }
        let members = try await call.fields().object.members
        guard members.count <= RegistryBounds.subscriptionsMaximum else {
            throw PushdError.tooManySubscriptions(members.count)
        }
        let isForm = MediaType(contentType: call.request.headers["Content-Type"] ?? "") == .form
        var topics: [TopicName: SubscriptionOptions] = [:]
        for (name, value) in members {
            if isForm { try BulkSubscriptions.refuseBrackets(in: name) }
            topics[try BulkSubscriptions.topic(name)] = try SubscriptionForm.options(
                in: RequestFields(value.object ?? JSONObject()))
        }
        self.topics = topics
    }

    /// A name that still has brackets, such as `events[]`, is a misspelt option and not an event.
    private static func refuseBrackets(in name: String) throws(PushdError) {
        guard name.utf8.contains(where: { "[]".utf8.contains($0) }) else { return }
        throw .invalidEvent(
            name,
            InvalidValueError(
                "expected a name without brackets; write options as sport[ignore_message]=1, such topics in JSON"))
    }

    /// Accepts any topic that a task can name; paths accept only the narrower event names of pushd.
    private static func topic(_ name: String) throws(PushdError) -> TopicName {
        do throws(InvalidValueError) {
            return try TopicName(name)
        } catch {
            throw .invalidEvent(name, error)
        }
    }
}
