import PushModel
import ServiceKit

@testable import Apps
@testable import EventStream

/// The apps `news` and `shop`, each with a key that listens.
struct StreamApps {
    let pepper: Pepper
    let keys: [AppID: APIKey]

    init() {
        guard let pepper = Pepper(fileContent: Pepper.randomFileContent()) else { preconditionFailure("a pepper") }
        self.pepper = pepper
        keys = [SampleEvents.news: APIKey.random(), SampleEvents.shop: APIKey.random()]
    }

    func credential(_ app: AppID, scopes: Set<Scope> = [.listen]) -> Credential {
        guard let key = keys[app] else { preconditionFailure("an app with a key") }
        return Credential(
            id: key.id, hash: pepper.hash(of: key), rights: KeyRights(scopes: scopes),
            created: Timestamp(milliseconds: 0), expires: nil)
    }

    /// `without` is an app whose key was removed; `scopes` are those of the keys of others.
    func snapshot(
        without removed: AppID? = nil, scopes: Set<Scope> = [.listen], allowing range: String? = nil
    ) -> AppSnapshot {
        let apps = keys.keys.map { id in
            var app = PushApp(id: id)
            if id != removed { app.credentials = [credential(id, scopes: scopes)] }
            if let range = range.flatMap({ try? AddressRange($0) }) {
                app.allowed = [AllowedRange(range: range, scopes: scopes)]
            }
            return app
        }
        return AppSnapshot(apps, pepper: pepper)
    }

    func right(to app: AppID) -> ListeningRight {
        ListeningRight(app: app, basis: .key(credential(app)))
    }

    func ticket(_ topics: [String] = ["sports"], app: AppID = SampleEvents.news, expires: Timestamp) -> StreamTicket {
        StreamTicket(app: app, keyID: keys[app]?.id ?? "", topics: topics.map(SampleEvents.topic), expires: expires)
    }

    func ticketText(
        _ topics: [String] = ["sports"], app: AppID = SampleEvents.news, expires: Timestamp
    ) -> String {
        ticket(topics, app: app, expires: expires).text(signedBy: pepper.streamTicketKey(of: app))
    }

    func ticketRight(expires: Timestamp) -> ListeningRight {
        ListeningRight(
            app: SampleEvents.news,
            basis: .ticket(ticket(expires: expires), of: credential(SampleEvents.news)))
    }
}
