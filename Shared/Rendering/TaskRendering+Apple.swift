import JSONKit
import PushModel
import TaskModel
import Topics

extension TaskRendering {
    func appleVariant(_ selection: Selection) throws(RenderingError) -> RenderedVariant {
        let terms = try terms.get()
        let (payload, path) = try applePayload(selection)
        let type = payload.pushType
        return RenderedVariant(
            kind: .apns, priority: selection.isSilent || type == "background" ? .normal : terms.priority,
            pushType: type, collapseID: terms.collapseID, expiration: terms.expiration,
            payload: try payload.template(path: path), isSilent: selection.isSilent)
    }

    private func applePayload(_ selection: Selection) throws(RenderingError) -> (APNsPayload, path: String) {
        guard let written = content.payloads[.ios] else {
            return (try applePayload(of: try message(for: .ios), selection), "message")
        }
        try ProviderBounds.check(written, path: "payloads.ios")
        var payload = try APNsPayload(written, path: "payloads.ios")
        if content.countsBadge(on: .ios) { payload.setBadge(.increment) }
        if selection.isSilent { payload.silence() }
        return (payload, "payloads.ios")
    }

    private func applePayload(
        of message: PushMessage, _ selection: Selection
    ) throws(RenderingError) -> APNsPayload {
        let data = try dataWithAddress(of: message)
        var payload = APNsPayload()
        payload.members = data.members
        payload.provesReceipt = data.provesReceipt
        guard message.data["aps"] == nil else {
            throw RenderingError("message.data.aps", message: "name reserved by Apple; choose another one")
        }
        payload.setBadge(message.badge)
        guard let alert = try texts(of: message, selection).flatMap(appleAlert) else {
            if !selection.isSilent { payload.aps["sound"] = message.sound.map { .string($0) } }
            payload.aps["content-available"] = .integer(1)
            return payload
        }
        payload.aps["alert"] = alert
        if content.wakesAppleApp { payload.aps["content-available"] = .integer(1) }
        payload.aps["sound"] = message.sound.map { .string($0) }
        payload.aps["category"] = message.category.map { .string($0) }
        guard let image = message.image else { return payload }
        try checkImageName(in: message)
        // iOS shows no image itself: it passes the notification to an extension of the app, which fetches the image.
        payload.members["image"] = .string(image)
        payload.aps["mutable-content"] = .integer(1)
        return payload
    }

    /// Nil if the texts have nothing that Apple devices show.
    private func appleAlert(_ texts: MessageTexts) -> JSON? {
        if content.hasPlainAppleAlert { return texts.body.map { .string($0) } }
        var alert = JSONObject()
        alert["title"] = texts.title.map { .string($0) }
        alert["subtitle"] = texts.subtitle.map { .string($0) }
        alert["body"] = texts.body.map { .string($0) }
        return .object(alert)
    }
}
