package import ServiceKit
import Signing

/// A session of the console that is valid now, with what its key may do.
package struct SignedInAccess: Sendable {
    package let session: ConsoleSession
    /// Without grants of public keys.
    package let access: Access
    /// What a page sends with each change.
    package let token: String

    /// Takes the same time for wrong and right tokens of one length.
    package func isToken(_ presented: String) -> Bool {
        ConstantTime.areEqual(Array(presented.utf8), Array(token.utf8))
    }
}

extension AppSnapshot {
    /// A new session of the key; nil unless it is valid and private. The text is for the browser alone.
    package func signIn(_ presented: String, now: Timestamp) -> (text: String, access: SignedInAccess)? {
        let access = access(presented: presented, peer: "", now: now).ofPrivateKeys
        guard !access.grants.isEmpty, let id = access.keyID, let owner = owner(ofKey: id, now: now), let signer
        else { return nil }
        let latest = now + ConsoleSession.life
        let session = ConsoleSession(keyID: id, ends: owner.expires.map { min($0, latest) } ?? latest)
        return (
            signer.text(of: session, hash: owner.hash),
            SignedInAccess(session: session, access: access, token: signer.token(of: session))
        )
    }

    /// Nil if the text is not a session, or the session has ended, or its key is not valid any more.
    package func signedIn(_ text: String, now: Timestamp) -> SignedInAccess? {
        guard let signer, let (session, code) = ConsoleSessionSigner.parse(text), now < session.ends,
            let owner = owner(ofKey: session.keyID, now: now),
            signer.isSigned(session, code: code, hash: owner.hash)
        else { return nil }
        var access = access(ofKey: session.keyID, now: now).ofPrivateKeys
        access.ends = session.ends
        guard !access.grants.isEmpty else { return nil }
        return SignedInAccess(session: session, access: access, token: signer.token(of: session))
    }
}
