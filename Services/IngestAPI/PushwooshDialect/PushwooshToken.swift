import PushModel

/// A token, or none in place of one that was reported before.
enum PushwooshToken: Sendable {
    case given(PushToken)
    case removed

    var token: PushToken? {
        guard case .given(let token) = self else { return nil }
        return token
    }
}
