import ProviderKit
import PushModel
import Topics

/// One request to Huawei: many devices that get the same payload.
struct HuaweiBatch: Sendable {
    /// Huawei's limit for one request.
    static let tokensMaximum = 1_000

    let body: [UInt8]
    /// Positions of its pushes. Pushes with one token are sent once: Huawei would show a repeated token twice.
    let positions: [Int]

    static func group(_ pushes: [Push]) -> [HuaweiBatch] {
        let kinds = Dictionary(grouping: pushes.indices) { Kind(pushes[$0]) }
        return kinds.values.sorted { $0[0] < $1[0] }.flatMap { split($0, pushes: pushes) }
    }

    private struct Kind: Hashable {
        let variant: RenderedVariant
        /// Devices differ by it only if the payload shows it.
        let badge: UInt32?
        /// Each device has its own, and then a request of its own.
        let proof: ReceiptProof?

        init(_ push: Push) {
            variant = push.content.variant
            badge = push.content.variant.payload.slots.contains(.badge) ? push.badge : nil
            proof = push.proof
        }
    }

    private static func split(_ positions: [Int], pushes: [Push]) -> [HuaweiBatch] {
        let holders = Dictionary(grouping: positions) { pushes[$0].token }
        let tokens = holders.values.sorted { $0[0] < $1[0] }
        return stride(from: 0, to: tokens.count, by: tokensMaximum).map { start in
            let part = tokens[start..<min(start + tokensMaximum, tokens.count)]
            return HuaweiBatch(body: body(part.map { pushes[$0[0]] }), positions: part.flatMap { $0 })
        }
    }

    /// The template has one token between quotation marks in a list; further tokens bring the marks between them.
    private static func body(_ pushes: [Push]) -> [UInt8] {
        let tokens = pushes.map(\.tokenText).joined(separator: #"",""#)
        return pushes[0].content.variant.payload.payload(
            token: tokens, badge: pushes[0].badge, proof: pushes[0].proofText)
    }
}
