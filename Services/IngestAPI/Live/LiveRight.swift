import Apps
import PushModel
import ServiceKit

/// The right of one caller to follow an app's tasks, which lasts as long as its key, session or address has it.
struct LiveRight: Sendable {
    let app: AppID
    /// Nil for a caller that was authorized by its address.
    private let credential: Credential?
    private let peer: String
    private let ends: Timestamp?

    /// Nil if the key was revoked meanwhile.
    init?(_ caller: AuthorizedCaller, peer: String, in apps: AppSnapshot, at now: Timestamp) {
        app = caller.app.id
        self.peer = peer
        ends = caller.ends
        guard !caller.credential.isEmpty else {
            credential = nil
            return
        }
        guard let holder = apps.holder(of: .read, keyID: caller.credential, app: app, now: now) else { return nil }
        credential = holder
    }

    func isValid(in apps: AppSnapshot, at now: Timestamp) -> Bool {
        if let ends, ends <= now { return false }
        guard let credential else {
            return apps.access(presented: nil, peer: peer, now: now).apps(with: .read).contains { $0.id == app }
        }
        // A key that was replaced by another one of its id is not the one that was presented.
        return apps.holder(of: .read, keyID: credential.id, app: app, now: now)?.hash == credential.hash
    }
}
