import Apps
import PushModel
import ServiceKit

/// The right of one caller to listen to an app, which lasts as long as its ticket, key or address has it.
struct ListeningRight: Sendable {
    enum Basis: Sendable {
        case ticket(StreamTicket, of: Credential)
        case key(Credential)
        case address(String)
    }

    let app: AppID
    let basis: Basis

    /// True for pages of every origin: a ticket was made for whom it was given to.
    var isForAllOrigins: Bool {
        if case .ticket = basis { true } else { false }
    }

    func covers(_ name: TopicName) -> Bool {
        guard case .ticket(let ticket, _) = basis else { return true }
        return ticket.topics.contains(name)
    }

    func isValid(in apps: AppSnapshot, at now: Timestamp) -> Bool {
        switch basis {
        case .ticket(let ticket, let credential): now < ticket.expires && isListener(credential, in: apps, at: now)
        case .key(let credential): isListener(credential, in: apps, at: now)
        case .address(let peer):
            apps.access(presented: nil, peer: peer, now: now).apps(with: .listen).contains { $0.id == app }
        }
    }

    /// A key that was replaced by another one of its id is not the one that was presented.
    private func isListener(_ credential: Credential, in apps: AppSnapshot, at now: Timestamp) -> Bool {
        apps.holder(of: .listen, keyID: credential.id, app: app, now: now)?.hash == credential.hash
    }
}
