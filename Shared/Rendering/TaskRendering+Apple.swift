import JSONKit
import PushModel
import TaskModel
import Topics

extension TaskRendering {
    func appleVariant(_ selection: Selection) throws(RenderingError) -> RenderedVariant {
        let terms = try terms(of: selection)
        let (payload, path) = try applePayload(selection)
        let type = payload.pushType
        return RenderedVariant(
            kind: .apns, priority: terms.priority(isSilent: selection.isSilent || type == "background"),
            pushType: type, collapseID: terms.collapseID, expiration: terms.expiration,
            payload: try payload.template(path: path), isSilent: selection.isSilent)
    }

    private func applePayload(_ selection: Selection) throws(RenderingError) -> (APNsPayload, path: String) {
        guard let written = content.payloads[.ios] else {
            let message = try message(for: .ios)
            return (try applePayload(of: message, selection), message.path)
        }
        try ProviderBounds.check(written, path: "payloads.ios")
        var payload = try APNsPayload(written, path: "payloads.ios")
        if content.countsBadge(on: .ios) { payload.setBadge(.increment) }
        if selection.isSilent { payload.silence() }
        return (payload, "payloads.ios")
    }

    private func applePayload(
        of message: PlatformMessage, _ selection: Selection
    ) throws(RenderingError) -> APNsPayload {
        let content = message.content
        let data = try dataWithAddress(of: message)
        var payload = APNsPayload()
        payload.members = data.members
        payload.provesReceipt = data.provesReceipt
        guard content.data["aps"] == nil else {
            throw RenderingError("\(message.path).data.aps", message: "name reserved by Apple; choose another one")
        }
        payload.setBadge(content.badge)
        guard let alert = try texts(of: message, selection).flatMap(appleAlert) else {
            if !selection.isSilent { payload.aps["sound"] = content.sound.map { .string($0) } }
            payload.aps["content-available"] = .integer(1)
            return payload
        }
        payload.aps["alert"] = alert
        if self.content.wakesAppleApp { payload.aps["content-available"] = .integer(1) }
        payload.aps["sound"] = content.sound.map { .string($0) }
        payload.aps["category"] = content.category.map { .string($0) }
        if let fields = content.apple { payload.setAppearance(fields) }
        try addFiles(of: message, to: &payload)
        return payload
    }

    /// iOS shows no file itself: it passes the notification to an extension of the app, which fetches the files.
    private func addFiles(of message: PlatformMessage, to payload: inout APNsPayload) throws(RenderingError) {
        if let image = message.content.image {
            try checkName("image", of: "image", in: message)
            payload.members["image"] = .string(image)
            payload.aps["mutable-content"] = .integer(1)
        }
        let attachments = message.content.apple?.attachments ?? []
        guard !attachments.isEmpty else { return }
        try checkName("attachments", of: "ios.attachments", in: message)
        payload.members["attachments"] = .array(attachments.map(\.json))
        payload.aps["mutable-content"] = .integer(1)
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
