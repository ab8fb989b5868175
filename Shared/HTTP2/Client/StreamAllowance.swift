/// Maximum open streams of a connection: the lower of the peer's SETTINGS and our limit, one until credentials are
/// proven, and fewer for a while after the peer has refused one.
struct StreamAllowance {
    private let ownMaximum: Int
    private var peerMaximum = 0
    private var isProven: Bool
    private var refusedAt: Int?

    init(ownMaximum: Int, needsProof: Bool) {
        self.ownMaximum = ownMaximum
        isProven = !needsProof
    }

    var limit: Int {
        let agreed = min(ownMaximum, peerMaximum)
        guard isProven else { return min(agreed, 1) }
        return min(agreed, refusedAt ?? agreed)
    }

    mutating func peerAllows(_ streams: Int) {
        peerMaximum = streams
    }

    mutating func noteAnswer(isProof: Bool) {
        if isProof { isProven = true }
        guard let ceiling = refusedAt else { return }
        refusedAt = ceiling < min(ownMaximum, peerMaximum) ? ceiling + 1 : nil
    }

    /// The peer accepted no more than the streams still open.
    mutating func noteRefusal(whileOpen streams: Int) {
        refusedAt = min(refusedAt ?? .max, max(1, streams))
    }

    var needsProof: Bool { !isProven }
}
