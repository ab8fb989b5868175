import JSONKit
import PushModel
import TaskModel
import Topics

extension TaskRendering {
    func httpVariant(_ selection: Selection) throws(RenderingError) -> RenderedVariant {
        let terms = try terms(of: selection)
        return RenderedVariant(
            kind: .http, priority: terms.priority(isSilent: selection.isSilent), pushType: "", collapseID: "",
            expiration: terms.expiration, payload: try httpPayload(selection), isSilent: selection.isSilent)
    }

    private func httpPayload(_ selection: Selection) throws(RenderingError) -> PayloadTemplate {
        if let written = content.payloads[.http] {
            let path = "payloads.http"
            try ProviderBounds.check(written, path: path, bytesMaximum: HTTPMessage.bytesMaximum)
            let payload = PayloadTemplate(JSON.object(written).compactBytes)
            try HTTPMessage.check(payload.parts[0].count, path: path)
            return payload
        }
        let message = try message(for: .http)
        var post = HTTPMessage(event: event, data: try dataWithImage(of: message))
        if !selection.isSilent, message.content.hasTexts {
            post.texts = try RenderedTexts(message.content, path: message.path, variables: content.variables)
        }
        return try post.template(path: message.path)
    }

    private func dataWithImage(of message: PlatformMessage) throws(RenderingError) -> MessageData {
        var data = try dataWithAddress(of: message)
        guard let image = message.content.image else { return data }
        try checkName("image", of: "image", in: message)
        data.members["image"] = .string(image)
        return data
    }
}

extension PushTask {
    /// The name under which an address gets the task, as in pushd: that of its topic, or of one of the special events.
    var eventName: String? {
        switch (target.audience, target.list) {
        case (.topic(let topic)?, .entries([])): topic.text
        case (.everyone?, .entries([])): ListenerEvent.everyoneName
        case (nil, .entries(let entries)) where entries.count == 1:
            if case .device(let id) = entries[0] { "unicast:\(id)" } else { nil }
        default: nil
        }
    }
}
