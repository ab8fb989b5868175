import ServiceKit
import Synchronization

/// The bytes of a request's body. They count against the server's limit as long as this object lives, so when work
/// outlasts the handler, pass on the object rather than a copy of its bytes.
package final class HTTPRequestBody: Sendable {
    package static let empty = HTTPRequestBody([])

    package let bytes: [UInt8]
    private let reservation: Reservation?

    /// The bytes a body has reserved from a budget; released with the body.
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

    /// Takes over a reservation of `bytes.count` bytes in `budget`.
    init(_ bytes: [UInt8], reservedFrom budget: BodyBudget, by payers: BodyBudget.Payers) {
        self.bytes = bytes
        reservation = Reservation(bytes.count, from: budget, by: payers)
    }

    package var isEmpty: Bool { bytes.isEmpty }

    package var text: String { OutsideText.replacing(bytes) }

    /// Reserves memory for another form of the body, such as the parsed document. False if the server has no memory for
    /// it now; the request then gets 503. Without a server there is no limit.
    package func reserve(_ count: Int) -> Bool {
        reservation?.extend(by: count) ?? true
    }
}
