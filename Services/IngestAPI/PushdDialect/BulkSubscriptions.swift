import HTTPServer
import JSONKit
import PushModel
import Store

/// All the events a device is to be subscribed to: the names of a JSON object or of a form. In JSON the value holds the
/// options; anything that is no object means none, as it did in pushd.
struct BulkSubscriptions {
    let topics: [TopicName: SubscriptionOptions]

    init(_ call: PushdCall) async throws {
        // Setting none ends all subscriptions, which a request that just lost its body must not do.
        guard !call.request.body.isEmpty || call.request.headers.contains("Content-Type") else {
            throw PushdError.body(.malformed("the body must hold the subscriptions; to end all of them, send {}"))
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

    /// What is left in brackets was meant for options in another way, such as `events[]`, and names no event.
    private static func refuseBrackets(in name: String) throws(PushdError) {
        guard name.utf8.contains(where: { "[]".utf8.contains($0) }) else { return }
        throw .invalidEvent(
            name, InvalidValueError("has brackets: options are written as sport[ignore_message]=1, such topics in JSON"))
    }

    /// Any topic that a task can name, so that devices can be subscribed to it. A path can only name pushd's events.
    private static func topic(_ name: String) throws(PushdError) -> TopicName {
        do throws(InvalidValueError) {
            return try TopicName(name)
        } catch {
            throw .invalidEvent(name, error)
        }
    }
}
