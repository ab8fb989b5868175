package import PushModel
import TaskModel
import Topics

extension TaskRendering {
    /// Renders the payloads for these protocols in each language of the task, the standard texts of each first. What
    /// cannot be rendered is left out; `checkLimits` says why.
    package func previews(of kinds: [PushProtocol], countMaximum: Int) -> PayloadPreviews {
        let targeted = content.targetedPlatforms
        let lists = kinds.filter { targeted.contains(Platform($0)) && content.canBeChecked(for: $0) }.map {
            shownSelections(for: $0)
        }
        let longest = lists.map(\.count).max() ?? 0
        let ordered = (0..<longest).flatMap { place in lists.compactMap { place < $0.count ? $0[place] : nil } }
        var previews = PayloadPreviews()
        previews.all = ordered.prefix(countMaximum).compactMap { try? preview($0) }
        previews.omitted = max(0, ordered.count - countMaximum)
        return previews
    }

    private func preview(_ selection: Selection) throws(RenderingError) -> PayloadPreview {
        let payload = try variant(selection).payload.payload(token: "TOKEN", badge: 1, proof: "PROOF")
        let texts = try shownTexts(selection)
        return PayloadPreview(
            kind: selection.kind, language: selection.language, title: texts?.title, body: texts?.body,
            payload: payload, bytesMaximum: ProviderBounds.payloadBytesMaximum(of: selection.kind))
    }

    private func shownTexts(_ selection: Selection) throws(RenderingError) -> MessageTexts? {
        let platform = Platform(selection.kind)
        guard content.payloads[platform] == nil else { return nil }
        return try texts(of: try message(for: platform), selection)
    }
}
