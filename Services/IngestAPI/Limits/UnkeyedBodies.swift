import HTTPServer
import ServiceKit
import Synchronization

/// Bounds the bodies that are received before their sender is known, because their key is in them. They count against
/// the server's limit for bodies too: with a small share of it, callers without any key cannot block the others.
///
/// Safe to use from any thread.
final class UnkeyedBodies: Sendable {
    static let bodyBytesMaximum = 512 << 10
    /// Of all such bodies of a process.
    static let bytesMaximum = 16 * bodyBytesMaximum
    /// Of one address.
    static let shareMaximum = bytesMaximum / 4

    /// The bytes of one body. They end with this object, or before.
    final class Reservation: Sendable {
        private let bodies: UnkeyedBodies
        private let payer: [UInt8]
        private let count: Mutex<Int>

        fileprivate init(_ count: Int, in bodies: UnkeyedBodies, of payer: [UInt8]) {
            self.bodies = bodies
            self.payer = payer
            self.count = Mutex(count)
        }

        deinit { release() }

        /// Repeated calls have no effect.
        func release() {
            let reserved = count.withLock { count in
                defer { count = 0 }
                return count
            }
            if reserved > 0 { bodies.release(reserved, of: payer) }
        }
    }

    private struct State {
        var reserved = 0
        /// A payer without reservations has no entry.
        var reservedByPayer: [[UInt8]: Int] = [:]
    }

    private let state = Mutex(State())

    /// Reserves what the request's head announces; a body without a length may be as large as any.
    func reserve(for request: HTTPRequest) throws(BodyError) -> Reservation {
        let announced = request.headers["Content-Length"].flatMap { Int($0) } ?? UnkeyedBodies.bodyBytesMaximum
        let count = min(max(announced, 0), UnkeyedBodies.bodyBytesMaximum)
        let payer = RequestLimits.payer(request.peer)
        let isReserved = state.withLock { state in
            let ofPayer = (state.reservedByPayer[payer] ?? 0) + count
            guard state.reserved + count <= UnkeyedBodies.bytesMaximum, ofPayer <= UnkeyedBodies.shareMaximum else {
                return false
            }
            state.reserved += count
            if ofPayer > 0 { state.reservedByPayer[payer] = ofPayer }
            return true
        }
        guard isReserved else { throw .noRoom }
        return Reservation(count, in: self, of: payer)
    }

    private func release(_ count: Int, of payer: [UInt8]) {
        state.withLock { state in
            state.reserved -= count
            let left = (state.reservedByPayer[payer] ?? 0) - count
            state.reservedByPayer[payer] = left > 0 ? left : nil
        }
    }
}
