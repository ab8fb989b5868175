import JSONKit
import ServiceKit

/// A payload for Windows that was written by the publisher: data, the texts of a toast, or both.
struct WindowsPayload: Sendable {
    let path = "payloads.windows"
    var texts: WindowsMessage.Texts?
    private(set) var data = JSONObject()

    init(_ written: JSONObject) throws(RenderingError) {
        try ProviderBounds.check(written, path: path, bytesMaximum: WindowsMessage.bytesMaximum)
        guard !written.members.isEmpty else {
            throw RenderingError(path, message: "empty; expected data or notification")
        }
        for (name, value) in written.members {
            guard name == "data" || name == "notification" else {
                throw RenderingError(
                    "\(path).\(OutsideText.excerpt(name))", message: "unknown field; use data and notification")
            }
            guard let object = value.object else {
                throw RenderingError("\(path).\(name)", message: "expected an object, got \(value.kind)")
            }
            if name == "data" {
                data = object
            } else {
                texts = try WindowsMessage.Texts(object, path: "\(path).notification")
            }
        }
        guard texts?.launch == nil || data.members.isEmpty else {
            throw RenderingError(
                "\(path).notification.launch",
                message: "cannot be combined with data, which takes its place; remove one of them")
        }
    }
}

extension WindowsMessage.Texts {
    private static var fields: [String: WritableKeyPath<WindowsMessage.Texts, String?>] {
        ["title": \.title, "body": \.body, "image": \.image, "launch": \.launch]
    }

    fileprivate init(_ object: JSONObject, path: String) throws(RenderingError) {
        self.init()
        for (name, value) in object.members {
            guard let field = WindowsMessage.Texts.fields[name] else {
                let known = WindowsMessage.Texts.fields.keys.sorted().joined(separator: ", ")
                throw RenderingError(
                    "\(path).\(OutsideText.excerpt(name))",
                    message: "unknown field; expected \(known); put others into data")
            }
            guard value != .null else { continue }
            guard let text = value.text else {
                throw RenderingError("\(path).\(name)", message: "expected a string, got \(value.kind)")
            }
            self[keyPath: field] = text
        }
    }
}
