import JSONKit
import ServiceKit
import TaskModel

/// The form of Windows Phone.
extension WindowsMessage {
    /// Tiles show no higher number.
    private static let countMaximum: UInt32 = 99

    /// The header `X-WindowsPhone-Target`, which data does not have.
    var mpnsType: String {
        switch form {
        case .toast: "toast"
        case .badge: "token"
        case .raw: ""
        }
    }

    func mpns(for phone: WindowsPhone, hasProof: Bool) -> [[UInt8]] {
        switch form {
        case .toast(let texts): XMLText.parts { writeToast(texts, to: &$0, phone: phone, hasProof: hasProof) }
        case .badge(let badge): XMLText.parts { WindowsMessage.writeTile(badge, to: &$0, phone: phone) }
        case .raw: data.parts(hasProof: hasProof)
        }
    }

    private func writeToast(_ texts: Texts, to xml: inout XMLText, phone: WindowsPhone, hasProof: Bool) {
        xml.markup("<wp:Notification xmlns:wp=\"WPNotification\"><wp:Toast>")
        xml.text(texts.title ?? "", between: "<wp:Text1>", and: "</wp:Text1>")
        xml.text(texts.body ?? "", between: "<wp:Text2>", and: "</wp:Text2>")
        if phone != .basic {
            xml.markup("<wp:Param>")
            if let launch = texts.launch { xml.text(launch) } else { writeQuery(to: &xml, hasProof: hasProof) }
            xml.markup("</wp:Param>")
        }
        xml.markup("</wp:Toast></wp:Notification>")
    }

    /// The data as the query of the app's main page.
    private func writeQuery(to xml: inout XMLText, hasProof: Bool) {
        let pairs = data.members.members.map { name, value in
            "\(PercentEncoding.encode(name))=\(PercentEncoding.encode(value.text ?? value.compactText))"
        }
        xml.text("?" + pairs.joined(separator: "&"))
        guard hasProof else { return }
        xml.text("&\(ReceiptField.proof)=")
        xml.gap()
    }

    private static func writeTile(_ badge: PushMessage.Badge, to xml: inout XMLText, phone: WindowsPhone) {
        if phone == .withFlipTiles {
            xml.markup("<wp:Notification xmlns:wp=\"WPNotification\" Version=\"2.0\"><wp:Tile Template=\"FlipTile\">")
        } else {
            xml.markup("<wp:Notification xmlns:wp=\"WPNotification\"><wp:Tile>")
        }
        xml.markup("<wp:Count>")
        xml.count(badge, maximum: countMaximum)
        xml.markup("</wp:Count></wp:Tile></wp:Notification>")
    }
}
