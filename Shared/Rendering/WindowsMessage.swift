import PushModel
import TaskModel
import Topics

/// A push for Windows: a toast, a badge, or data for the app. Each push has one form.
struct WindowsMessage: Sendable {
    /// Of a toast.
    struct Texts: Sendable, Hashable {
        var title: String?
        var body: String?
        var image: String?
        /// What the app gets when the toast is touched, instead of the data.
        var launch: String?
    }

    enum Form: Sendable {
        case toast(Texts)
        case badge(PushMessage.Badge)
        case raw
    }

    /// The limit of the Windows service, which is also kept for phones.
    static let bytesMaximum = 5_000
    private static let badgeDigits = 10

    let form: Form
    let data: MessageData

    /// `write` writes the payload in the form of one of the two services.
    func template(path: String, write: (_ hasProof: Bool) -> [[UInt8]]) throws(RenderingError) -> PayloadTemplate {
        let measured = MeasuredTemplate.fitting(WindowsMessage.bytesMaximum, provesReceipt: data.provesReceipt) {
            measure(write($0))
        }
        guard measured.bytes <= WindowsMessage.bytesMaximum else {
            throw RenderingError(
                path, message: "too long for Windows: \(measured.bytes) bytes; at most \(WindowsMessage.bytesMaximum)")
        }
        return measured.template
    }

    /// A payload has at most one gap, for its proof or its badge.
    private func measure(_ parts: [[UInt8]]) -> MeasuredTemplate {
        guard parts.count > 1 else {
            return MeasuredTemplate(template: PayloadTemplate(parts: parts, slots: []), bytes: parts[0].count)
        }
        let (slot, filled): (PayloadTemplate.Slot, Int) =
            if case .badge = form { (.badge, WindowsMessage.badgeDigits) } else { (.proof, ReceiptProof.textBytes) }
        return MeasuredTemplate(
            template: PayloadTemplate(parts: parts, slots: [slot]), bytes: parts.reduce(filled) { $0 + $1.count })
    }
}

extension XMLText {
    /// A number, or a gap for the device's own.
    mutating func count(_ badge: PushMessage.Badge, maximum: UInt32 = .max) {
        switch badge {
        case .set(let count): text(String(min(count, maximum)))
        case .increment: gap()
        }
    }
}
