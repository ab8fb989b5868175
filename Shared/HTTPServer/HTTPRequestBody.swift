import ServiceKit
import Synchronization

/// The bytes of a request's body. They count against the server's bound for as long as this object lives, so pass the
/// object on rather than a copy of its bytes when work outlasts the handler.
package final class HTTPRequestBody: Sendable {
    package static let empty = HTTPRequestBody([])

    package let bytes: [UInt8]
    private let reservation: Reservation?

    /// What the body has taken of a budget; given back with the body.
    private final class Reservation: Sendable {
        private let budget: BodyBudget
        private let payers: BodyBudget.Payers
        private let count: Mutex<Int>

        init(_ count: Int, from budget: BodyBudget, by payers: BodyBudget.Payers) {
            self.budget = budget
            self.payers = payers
            self.count = Mutex(count)
        }

        deinit {
            budget.release(count.withLock { $0 }, of: payers)
        }

        func extend(by more: Int) -> Bool {
            count.withLock { count in
                guard budget.reserve(more, of: payers, total: count + more) else { return false }
                count += more
                return true
            }
        }
    }

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        reservation = nil
    }

    /// Takes over the reservation of `bytes.count` bytes that `budget` gave.
    init(_ bytes: [UInt8], reservedFrom budget: BodyBudget, by payers: BodyBudget.Payers) {
        self.bytes = bytes
        reservation = Reservation(bytes.count, from: budget, by: payers)
    }

    package var isEmpty: Bool { bytes.isEmpty }

    package var text: String { OutsideText.replacing(bytes) }

    /// Counts memory that the body takes in another form, such as the document that it is parsed into. False when the
    /// server has no room for it now; the request is answered 503 then. Without a server there is no bound.
    package func reserve(_ count: Int) -> Bool {
        reservation?.extend(by: count) ?? true
    }
}
