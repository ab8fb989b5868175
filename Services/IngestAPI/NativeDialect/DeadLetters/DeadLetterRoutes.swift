import Apps
import Bus
import HTTPServer
import JSONKit

/// `/v1/dead-letters` and the routes below it.
struct DeadLetterRoutes: Sendable {
    private static let bodyBytesMaximum = 16 << 10
    private static let positionsMaximum = 100

    let book: DeadLetterBook
    let reading: BodyReading

    var routes: [DialectRoute] {
        [
            DialectRoute(
                method: .get, pattern: "/v1/dead-letters", scopes: [.admin], query: ["limit"],
                handler: .appInPath(list)),
            DialectRoute(
                method: .get, pattern: "/v1/dead-letters/:position", scopes: [.admin], query: [],
                handler: .appInPath(read)),
            DialectRoute(
                method: .post, pattern: "/v1/dead-letters/replay", scopes: [.admin], query: [],
                bodyBytesMaximum: DeadLetterRoutes.bodyBytesMaximum, handler: .appInPath(replay)),
        ]
    }

    @Sendable func list(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        let limit = try call.request.limit(in: DeadLetterList.limits, default: DeadLetterList.limit)
        return .json(try await book.list(of: call.app, limit: limit).text)
    }

    @Sendable func read(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        guard let position = DeadPosition(call.request.parameter("position")) else { throw TaskError.unknownLetter }
        return .json(try await book.letter(at: position, of: call.app).text)
    }

    @Sendable func replay(_ call: AuthorizedRequest) async throws -> HTTPResponse {
        let positions = try await reading.readJSON(call.request, account: call.caller.account) { fields in
            let elements = fields.elements(
                "positions", countMinimum: 1, countMaximum: DeadLetterRoutes.positionsMaximum, isRequired: true)
            let positions = elements.compactMap { element in
                element.text(expected: "the position of a dead letter, such as 0:17") { DeadPosition($0) }
            }
            fields.rejectUnknown()
            return Set(positions)
        }
        return .json(try await book.replay(positions, of: call.app).text)
    }
}
