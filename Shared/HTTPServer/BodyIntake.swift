/// Collects one request's body as it arrives. A body that is not wanted is read on to its end without being kept, since
/// the library can answer only then; an endless one is given up.
struct BodyIntake: ~Copyable {
    enum Step: Equatable {
        case carryOn
        case giveUp
    }

    /// Why the body is not kept, once it turned out too much.
    private(set) var refusal: Refusal?
    private let budget: BodyBudget
    private let bytesMaximum: Int
    private var isDiscarding: Bool
    private var bytes: [UInt8] = []
    private var discarded = 0

    init(framing: BodyFraming, bytesMaximum: Int, budget: BodyBudget) {
        self.budget = budget
        self.bytesMaximum = bytesMaximum
        isDiscarding = false
        // At once and not by doubling; the kernel gives the pages only as they are written.
        if case .length(let count) = framing { bytes.reserveCapacity(count) }
    }

    /// For a request that is refused already.
    init(discardingFor budget: BodyBudget) {
        self.budget = budget
        bytesMaximum = 0
        isDiscarding = true
    }

    deinit {
        budget.release(bytes.count)
    }

    mutating func take(_ part: UnsafeRawBufferPointer) -> Step {
        if !isDiscarding {
            if bytes.count + part.count > bytesMaximum {
                refuse(.bodyTooLarge(bytesMaximum: bytesMaximum))
            } else if budget.reserve(part.count) {
                bytes.append(contentsOf: part)
                return .carryOn
            } else {
                refuse(.bodiesTooLarge)
            }
        }
        discarded += part.count
        return discarded > HTTPServerConfiguration.routeBodyBytesMaximum ? .giveUp : .carryOn
    }

    /// The complete body, which takes the reservation with it.
    mutating func finish() -> HTTPRequestBody {
        guard !bytes.isEmpty else { return .empty }
        let body = HTTPRequestBody(bytes, reservedFrom: budget)
        bytes = []
        return body
    }

    private mutating func refuse(_ refusal: Refusal) {
        self.refusal = refusal
        isDiscarding = true
        budget.release(bytes.count)
        bytes = []
    }
}
