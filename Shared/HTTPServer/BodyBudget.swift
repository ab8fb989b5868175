import ServiceKit
import Synchronization

/// Memory limit for the bodies of all requests of one server and for their parsed forms. No peer and no key may hold
/// more than its share, and large bodies leave room for small ones: one client that sends large bodies slowly cannot
/// block the others.
final class BodyBudget: Sendable {
    /// The payers of a body: its peer address, and the account named by the route's admission.
    struct Payers: Hashable, Sendable {
        let peer: String
        let account: String?
    }

    /// Bodies up to this size are small.
    static let smallBytesMaximum = 64 << 10

    private struct State {
        var reserved = 0
        var reservedByPeer: [String: Int] = [:]
        var reservedByAccount: [String: Int] = [:]
    }

    private let bytesMaximum: Int
    /// Limit per peer and per account.
    private let shareMaximum: Int
    /// Limit for all bodies that are not small.
    private let largeMaximum: Int
    private let gauge: Gauge
    private let state = Mutex(State())

    init(bytesMaximum: Int, gauge: Gauge) {
        self.bytesMaximum = bytesMaximum
        shareMaximum = bytesMaximum / 2
        largeMaximum = bytesMaximum / 4 * 3
        self.gauge = gauge
    }

    /// True if so many bytes fit now; they may no longer fit when they arrive.
    func hasRoom(for count: Int, of payers: Payers) -> Bool {
        state.withLock { fits(count, of: payers, total: count, state: $0) }
    }

    /// `total` is the request's reservation including these bytes.
    func reserve(_ count: Int, of payers: Payers, total: Int) -> Bool {
        let isReserved = state.withLock { state in
            guard fits(count, of: payers, total: total, state: state) else { return false }
            state.reserved += count
            state.reservedByPeer[payers.peer, default: 0] += count
            if let account = payers.account { state.reservedByAccount[account, default: 0] += count }
            return true
        }
        if isReserved { gauge.add(count) }
        return isReserved
    }

    func release(_ count: Int, of payers: Payers) {
        guard count > 0 else { return }
        state.withLock { state in
            state.reserved -= count
            BodyBudget.reduce(&state.reservedByPeer, payer: payers.peer, by: count)
            if let account = payers.account { BodyBudget.reduce(&state.reservedByAccount, payer: account, by: count) }
        }
        gauge.add(-count)
    }

    private func fits(_ count: Int, of payers: Payers, total: Int, state: borrowing State) -> Bool {
        let most = total > BodyBudget.smallBytesMaximum ? largeMaximum : bytesMaximum
        let accountReserved = payers.account.flatMap { state.reservedByAccount[$0] } ?? 0
        return state.reserved + count <= most
            && (state.reservedByPeer[payers.peer] ?? 0) + count <= shareMaximum
            && accountReserved + count <= shareMaximum
    }

    /// A payer without reservations has no entry.
    private static func reduce(_ reserved: inout [String: Int], payer: String, by count: Int) {
        let left = (reserved[payer] ?? 0) - count
        reserved[payer] = left > 0 ? left : nil
    }
}
