import HTTPServer
import PushModel
import Topics

/// Which devices a list contains: those of a user, or the one with a token.
enum DeviceQuery: Equatable {
    static let names = ["user", "token", "protocol"]

    case user(Alias)
    case token(PushToken)

    init(_ request: HTTPRequest) throws(TaskError) {
        switch (request.queryValue("user"), request.queryValue("token")) {
        case (let user?, nil):
            guard request.queryValue("protocol") == nil else {
                throw .invalidField("protocol", message: "belongs to a token; remove it")
            }
            self = .user(try Alias(user: user))
        case (nil, let token?): self = .token(try DeviceQuery.token(token, of: request.queryValue("protocol")))
        case (nil, nil): throw .invalidField("user", message: "missing; expected user, or token and protocol")
        case (_?, _?): throw .invalidField("token", message: "cannot be combined with user; remove one of them")
        }
    }

    private static func token(_ text: String, of name: String?) throws(TaskError) -> PushToken {
        guard let kind = name.flatMap(NativeDeviceForm.kind) else {
            let names = PushProtocol.ofDevices.map(\.name).joined(separator: ", ")
            throw .invalidField("protocol", message: "expected the token's protocol, one of \(names)")
        }
        do throws(InvalidValueError) {
            return try PushToken(kind, text: text)
        } catch {
            throw .invalidField("token", message: error.description)
        }
    }
}

extension Alias {
    /// A user's id in a path or a query.
    init(user text: String) throws(TaskError) {
        do throws(InvalidValueError) {
            self = try Alias(.externalUser, value: text)
        } catch {
            throw .invalidField("user", message: error.description)
        }
    }
}
