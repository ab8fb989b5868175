import JSONKit
import PushModel
import ServiceKit
import TaskModel
import Topics

extension TaskRendering {
    func wnsVariant(_ selection: Selection) throws(RenderingError) -> RenderedVariant {
        let (message, path) = try windowsMessage(selection)
        let payload = try message.template(path: path, write: message.wns(hasProof:))
        return try windowsVariant(
            selection, type: message.wnsType, collapseID: try terms(of: selection).collapseID, payload: payload)
    }

    func mpnsVariant(_ selection: Selection) throws(RenderingError) -> RenderedVariant {
        let (message, path) = try windowsMessage(selection)
        let payload = try message.template(path: path) { message.mpns(for: selection.phone, hasProof: $0) }
        return try windowsVariant(selection, type: message.mpnsType, collapseID: "", payload: payload)
    }

    private func windowsVariant(
        _ selection: Selection, type: String, collapseID: String, payload: PayloadTemplate
    ) throws(RenderingError) -> RenderedVariant {
        let terms = try terms(of: selection)
        return RenderedVariant(
            kind: selection.kind, priority: terms.priority(isSilent: selection.isSilent), pushType: type,
            collapseID: collapseID, expiration: terms.expiration, payload: payload, isSilent: selection.isSilent)
    }

    private func windowsMessage(_ selection: Selection) throws(RenderingError) -> (WindowsMessage, path: String) {
        guard let written = content.payloads[.windows] else {
            let message = try message(for: .windows)
            return (try windowsMessage(of: message, selection), message.path)
        }
        var payload = try WindowsPayload(written)
        if selection.isSilent { payload.texts = nil }
        let badge: PushMessage.Badge? = content.countsBadge(on: .windows) ? .increment : nil
        return (windowsMessage(payload.texts, data: MessageData(members: payload.data), badge: badge), payload.path)
    }

    private func windowsMessage(
        of message: PlatformMessage, _ selection: Selection
    ) throws(RenderingError) -> WindowsMessage {
        let content = message.content
        let texts = try texts(of: message, selection).map { texts in
            WindowsMessage.Texts(title: texts.title, body: texts.body ?? texts.subtitle, image: content.image)
        }
        let data = try dataWithAddress(of: message)
        guard texts == nil, content.data.members.isEmpty, content.url == nil, let badge = content.badge else {
            return windowsMessage(texts, data: data, badge: nil)
        }
        return WindowsMessage(form: .badge(badge), data: MessageData())
    }

    /// A badge is a push of its own, so it is shown only by a push that has nothing else.
    private func windowsMessage(
        _ texts: WindowsMessage.Texts?, data: MessageData, badge: PushMessage.Badge?
    ) -> WindowsMessage {
        if let texts { return WindowsMessage(form: .toast(texts), data: data) }
        guard data.isEmpty else { return WindowsMessage(form: .raw, data: data) }
        return badge.map { WindowsMessage(form: .badge($0), data: data) } ?? WindowsMessage(form: .raw, data: taskData)
    }
}
