import JSONKit
import PushModel
import ServiceKit
import TaskModel
import Topics

extension TaskRendering {
    /// The root of the page's origin, for a task without an address. Browsers that show the push without a worker may
    /// require a whole address; they then leave it to the worker.
    private static let root = "/"

    func webVariant(_ selection: Selection) throws(RenderingError) -> RenderedVariant {
        let terms = try terms(of: selection)
        let (message, path) =
            if let written = content.payloads[.web] {
                (try webMessage(written, selection, terms: terms), "payloads.web")
            } else {
                try webMessage(selection, terms: terms)
            }
        return RenderedVariant(
            kind: .webpush, priority: terms.priority(isSilent: selection.isSilent), pushType: "",
            collapseID: terms.collapseID, expiration: terms.expiration, payload: try message.template(path: path),
            isSilent: selection.isSilent)
    }

    private func webMessage(
        _ selection: Selection, terms: DeliveryTerms
    ) throws(RenderingError) -> (WebPushMessage, path: String) {
        let message = try message(for: .web)
        let content = message.content
        var web = WebPushMessage()
        web.data = try data(of: message)
        web.badge = content.badge
        guard let texts = try texts(of: message, selection) else { return (web, message.path) }
        let title = [texts.title, texts.body, texts.subtitle].compactMap { $0 }.first { !$0.isEmpty } ?? ""
        var notification = JSONObject([("title", .string(title))])
        // A notification needs a title: without one, the body is it.
        if texts.title?.isEmpty == false { notification["body"] = texts.body.map { .string($0) } }
        notification["navigate"] = .string(content.url ?? navigate)
        notification["lang"] = selection.language.map { .string($0) }
        notification["tag"] = .string(terms.collapseID)
        notification["image"] = content.image.map { .string($0) }
        web.notification = notification
        return (web, message.path)
    }

    /// A payload of the publisher: a notification is completed; anything else is unchanged.
    private func webMessage(
        _ written: JSONObject, _ selection: Selection, terms: DeliveryTerms
    ) throws(RenderingError) -> WebPushMessage {
        let path = "payloads.web"
        try ProviderBounds.check(written, path: path, bytesMaximum: WebPushMessage.bytesMaximum)
        var web = WebPushMessage()
        web.members = written
        if content.countsBadge(on: .web), written["app_badge"] == nil { web.badge = .increment }
        guard let value = written["notification"] else { return try nonempty(web, path: path) }
        guard var notification = value.object else {
            throw RenderingError("\(path).notification", message: "expected an object, got \(value.kind)")
        }
        guard let title = notification["title"]?.text, !title.isEmpty else {
            throw RenderingError("\(path).notification.title", message: "missing; expected a text that is not empty")
        }
        web.members["notification"] = nil
        if selection.isSilent {
            if written["data"] == nil { web.members["data"] = notification["data"] }
            web.members["web_push"] = nil
            if web.members.members.isEmpty { web.data = taskData }
            return web
        }
        if notification["navigate"] == nil { notification["navigate"] = .string(navigate) }
        if notification["tag"] == nil { notification["tag"] = .string(terms.collapseID) }
        web.notification = notification
        return web
    }

    private func nonempty(_ web: WebPushMessage, path: String) throws(RenderingError) -> WebPushMessage {
        guard !web.members.members.isEmpty else {
            throw RenderingError(path, message: "empty; expected notification, data or members of the page's own")
        }
        return web
    }

    private var navigate: String { content.navigate ?? TaskRendering.root }
}
