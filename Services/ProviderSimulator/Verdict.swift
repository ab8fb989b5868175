import HTTP2

/// A provider's decision about one request.
struct Verdict: Sendable {
    enum Reaction: Sendable {
        case answer(HTTP2Answer)
        /// The device's token selected the fault.
        case fault(Fault)
    }

    let reaction: Reaction
    /// The accepted pushes.
    let deliveries: [Delivery]
    /// Why the request, or some devices of it, were refused.
    let refusal: (reason: String, count: Int)?
    /// The content of an encrypted push; nil if the request's body is the content.
    let shown: [UInt8]?
    /// False if the request had no effect.
    let isProcessed: Bool

    init(fault: Fault) {
        reaction = .fault(fault)
        deliveries = []
        refusal = nil
        shown = nil
        isProcessed = false
    }

    init(
        taken deliveries: [Delivery], _ answer: HTTP2Answer, refusal: (reason: String, count: Int)? = nil,
        shown: [UInt8]? = nil
    ) {
        reaction = .answer(answer)
        self.deliveries = deliveries
        self.refusal = refusal
        self.shown = shown
        isProcessed = !deliveries.isEmpty
    }

    /// For a request that changed something and delivered nothing.
    init(changed answer: HTTP2Answer) {
        reaction = .answer(answer)
        deliveries = []
        refusal = nil
        shown = nil
        isProcessed = true
    }

    init(refusedFor reason: String, _ answer: HTTP2Answer) {
        reaction = .answer(answer)
        deliveries = []
        refusal = (reason, 1)
        shown = nil
        isProcessed = false
    }
}
