/// Collects one request's body as it arrives, and charges it to the server's budget.
struct BodyIntake: ~Copyable {
    private let budget: BodyBudget
    private let payers: BodyBudget.Payers
    private let bytesMaximum: Int
    private var bytes: [UInt8] = []

    init(framing: BodyFraming, bytesMaximum: Int, budget: BodyBudget, payers: BodyBudget.Payers) {
        self.budget = budget
        self.payers = payers
        self.bytesMaximum = bytesMaximum
        // Reserved in one step instead of by doubling; the kernel allocates pages only as they are written.
        if case .length(let count) = framing { bytes.reserveCapacity(count) }
    }

    deinit {
        budget.release(bytes.count, of: payers)
    }

    var count: Int { bytes.count }

    /// Returns the error if the part is rejected; the rest of the body is then not wanted.
    mutating func take(_ part: UnsafeRawBufferPointer) -> RequestError? {
        guard bytes.count + part.count <= bytesMaximum else { return .bodyTooLarge(bytesMaximum: bytesMaximum) }
        guard budget.reserve(part.count, of: payers, total: bytes.count + part.count) else { return .bodiesTooLarge }
        bytes.append(contentsOf: part)
        return nil
    }

    /// The complete body, together with its reservation.
    mutating func finish() -> HTTPRequestBody {
        guard !bytes.isEmpty else { return .empty }
        let body = HTTPRequestBody(bytes, reservedFrom: budget, by: payers)
        bytes = []
        return body
    }
}
