import Apps
import HTTPServer
import JSONKit
import PushModel
import ServiceKit
import Store
import TaskModel

/// Transfers: to send them, and what became of them.
struct TransferRoutes: Sendable {
    /// A quarter of a million tokens take 41 MB.
    static let bodyBytesMaximum = 64 << 20

    private static let sending: [Scope] = [.publish]
    private static let reading: [Scope] = [.publish, .read]

    let groups: any TransferGroups
    let acceptance: TransferAcceptance
    let book: TransferBook

    var routes: [DialectRoute] {
        let status = "/push/v1/status"
        return [
            .appMetrica(
                .post, pattern: "/push/v1/send-batch", scopes: TransferRoutes.sending,
                bodyBytesMaximum: TransferRoutes.bodyBytesMaximum, handler: send),
            .appMetrica(.get, pattern: "\(status)/:transfer", scopes: TransferRoutes.reading, handler: self.status),
            .appMetrica(
                .get, pattern: "\(status)/:group/:client", scopes: TransferRoutes.reading, handler: statusByClientID),
        ]
    }

    @Sendable private func send(_ request: HTTPRequest, unnamed: UnnamedCaller) async throws -> HTTPResponse {
        if let type = request.headers["Content-Type"], MediaType(contentType: type) != .json {
            throw BodyError.unknownMediaType(type)
        }
        let (outline, fingerprint) = try await acceptance.read(request, account: unnamed.account)
        let found = try await groups.group(outline.group, of: unnamed.apps)
        // A request that names no group counts against the limits of one app too.
        guard let app = found?.app ?? unnamed.apps.first else { throw Gatekeeper.AccessError.unknownApp }
        let caller = try unnamed.caller(in: app)
        guard let group = found?.group else {
            throw TaskError.invalidField("push_batch_request.group_id", message: "unknown group")
        }
        let transfer = try await acceptance.accept(
            outline, fingerprint: fingerprint, in: group, request: request, of: caller)
        return TransferRoutes.accepted(transfer, outline: outline, caller: caller)
    }

    @Sendable private func status(_ request: HTTPRequest, unnamed: UnnamedCaller) async throws -> HTTPResponse {
        let id = try TransferRoutes.number(request.parameter("transfer"), as: UInt64.self)
        let status = try await book.status(of: unnamed) { try await $0.transfer(id, in: $1) }
        return .json(status.text(showsClientID: false))
    }

    @Sendable private func statusByClientID(_ request: HTTPRequest, unnamed: UnnamedCaller) async throws -> HTTPResponse
    {
        let group = try TransferRoutes.number(request.parameter("group"), as: Int64.self)
        let id = try TransferRoutes.number(request.parameter("client"), as: Int64.self)
        let status = try await book.status(of: unnamed) {
            try await $0.transfer(clientID: id, group: group, in: $1)
        }
        return .json(status.text(showsClientID: true))
    }

    /// Each number has one spelling.
    private static func number<Number: FixedWidthInteger>(_ text: String, as type: Number.Type) throws -> Number {
        guard let number = type.init(text), String(number) == text else { throw AppMetricaError.unknownTransfer }
        return number
    }

    private static func accepted(
        _ transfer: Transfer, outline: BatchOutline, caller: AuthorizedCaller
    ) -> HTTPResponse {
        var warnings = outline.unknownNames.map { "\($0): unknown field, ignored" }
        var addressed = TaskContent()
        for platform in outline.platforms { addressed.messages[platform] = PushMessage() }
        warnings += MissingProviders(app: caller.app).warnings(of: addressed).map(\.message)
        return .json(
            JSONText.object { json in
                json.member("push_response") { json in
                    json.member("transfer_id", Int(transfer.id))
                    if let id = transfer.clientID { json.member("client_transfer_id", Int(id)) }
                    if !warnings.isEmpty { json.member("warnings", json: JSONText.array(warnings)) }
                }
            })
    }
}
