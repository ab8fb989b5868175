import JSONKit
import PushModel
import ServiceKit
import TaskModel
import Topics

/// An event that is posted to an address, in pushd's form: the texts in all languages.
struct HTTPMessage: Sendable {
    /// No provider sets a limit: texts in many languages and the data fit.
    static let bytesMaximum = 64 << 10

    /// The name of the topic that the task is for; nil for a task for other devices.
    let event: String?
    var texts: RenderedTexts?
    let data: MessageData

    func template(path: String) throws(RenderingError) -> PayloadTemplate {
        let measured = MeasuredTemplate.fitting(
            HTTPMessage.bytesMaximum, provesReceipt: data.provesReceipt, write: template(hasProof:))
        try HTTPMessage.check(measured.bytes, path: path)
        return measured.template
    }

    static func check(_ bytes: Int, path: String) throws(RenderingError) {
        guard bytes <= bytesMaximum else {
            throw RenderingError(path, message: "too long for HTTP: \(bytes) bytes; at most \(bytesMaximum)")
        }
    }

    private func template(hasProof: Bool) -> MeasuredTemplate {
        let parts = JSONText.parts { json in
            if let event { json.member("event", event) }
            json.member("title") { json in if let title = texts?.title { json.members(of: title) } }
            json.member("message") { json in if let body = texts?.body { json.members(of: body) } }
            json.member("data") { data.write(to: &$0, hasProof: hasProof) }
        }
        return MeasuredTemplate(
            template: PayloadTemplate(parts: parts, slots: hasProof ? [.proof] : []),
            bytes: parts.reduce(hasProof ? ReceiptProof.textBytes : 0) { $0 + $1.count })
    }
}
