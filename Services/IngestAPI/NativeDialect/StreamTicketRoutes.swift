import Apps
import HTTPServer
import JSONKit
import PushModel
import ServiceKit

/// `/v1/stream-tickets`: tickets for `event-stream`, which a publisher's backend passes on to its pages.
struct StreamTicketRoutes: Sendable {
    private static let bodyBytesMaximum = 64 << 10
    private static let usualLife = Duration.seconds(3_600)

    let reading: BodyReading
    let time: any TimeSource

    var routes: [DialectRoute] {
        [
            DialectRoute(
                method: .post, pattern: "/v1/stream-tickets", scopes: [.listen], query: [],
                bodyBytesMaximum: StreamTicketRoutes.bodyBytesMaximum, handler: .appInPath(create))
        ]
    }

    /// A ticket lasts as long as the key that made it, so a caller without a key gets none.
    @Sendable func create(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        guard let key = call.caller.app.streamTicketKey, !call.caller.credential.isEmpty else {
            throw Gatekeeper.AccessError.unauthenticated
        }
        let form = try await reading.readJSON(call.request, account: call.caller.account) { StreamTicketForm($0) }
        let ticket = StreamTicket(
            app: call.app, keyID: call.caller.credential, topics: form.topics,
            expires: time.now + (form.life ?? StreamTicketRoutes.usualLife))
        let text = ticket.text(signedBy: key)
        guard text.utf8.count <= StreamTicket.textBytesMaximum else {
            throw TaskError.invalidField(
                "topics",
                message: "too long together: the ticket would have \(text.utf8.count) bytes "
                    + "(maximum \(StreamTicket.textBytesMaximum)); ask for several tickets")
        }
        return HTTPResponse.json(
            JSONText.object { json in
                json.member("ticket", text)
                json.member("expires", "\(ticket.expires)")
            }, status: .created
        ).notStored
    }
}

/// The body of a request for a ticket.
private struct StreamTicketForm: Sendable {
    let topics: [TopicName]
    let life: Duration?

    /// Adds all errors to the problems of the fields.
    init(_ fields: JSONFields) {
        let elements = fields.elements(
            "topics", countMinimum: 1, countMaximum: StreamTicket.topicsMaximum, isRequired: true)
        topics = elements.compactMap { element in
            element.text(expected: TopicName.rule) { try? TopicName($0) }
        }
        life = fields.text("life", expected: "a duration from 1m to 24h, such as 12h") { text in
            DurationText.parse(text).flatMap { StreamTicket.lives ~= $0 ? $0 : nil }
        }
        fields.rejectUnknown()
    }
}

extension HTTPResponse {
    /// No cache keeps the ticket.
    fileprivate var notStored: HTTPResponse {
        var response = self
        response.headers.append(HTTPField("Cache-Control", "no-store"))
        return response
    }
}
