/// Collects one request's body as it arrives, and counts it against the server's budget.
struct BodyIntake: ~Copyable {
    private let budget: BodyBudget
    private let payers: BodyBudget.Payers
    private let bytesMaximum: Int
    private var bytes: [UInt8] = []

    init(framing: BodyFraming, bytesMaximum: Int, budget: BodyBudget, payers: BodyBudget.Payers) {
        self.budget = budget
        self.payers = payers
        self.bytesMaximum = bytesMaximum
        // At once and not by doubling; the kernel gives the pages only as they are written.
        if case .length(let count) = framing { bytes.reserveCapacity(count) }
    }

    deinit {
        budget.release(bytes.count, of: payers)
    }

    var count: Int { bytes.count }

    /// Why the part is not kept; the body is not wanted then.
    mutating func take(_ part: UnsafeRawBufferPointer) -> RequestError? {
        guard bytes.count + part.count <= bytesMaximum else { return .bodyTooLarge(bytesMaximum: bytesMaximum) }
        guard budget.reserve(part.count, of: payers, total: bytes.count + part.count) else { return .bodiesTooLarge }
        bytes.append(contentsOf: part)
        return nil
    }

    /// The complete body, which takes the reservation with it.
    mutating func finish() -> HTTPRequestBody {
        guard !bytes.isEmpty else { return .empty }
        let body = HTTPRequestBody(bytes, reservedFrom: budget, by: payers)
        bytes = []
        return body
    }
}
