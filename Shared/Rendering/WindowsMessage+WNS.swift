/// The form of Windows 8 and later.
extension WindowsMessage {
    /// The header `X-WNS-Type`.
    var wnsType: String {
        switch form {
        case .toast: "wns/toast"
        case .badge: "wns/badge"
        case .raw: "wns/raw"
        }
    }

    func wns(hasProof: Bool) -> [[UInt8]] {
        switch form {
        case .toast(let texts): XMLText.parts { writeToast(texts, to: &$0, hasProof: hasProof) }
        case .badge(let badge):
            XMLText.parts { xml in
                xml.markup("<badge value=\"")
                xml.count(badge)
                xml.markup("\"/>")
            }
        case .raw: data.parts(hasProof: hasProof)
        }
    }

    private func writeToast(_ texts: Texts, to xml: inout XMLText, hasProof: Bool) {
        xml.markup("<toast launch=\"")
        if let launch = texts.launch { xml.text(launch) } else { writeData(to: &xml, hasProof: hasProof) }
        xml.markup("\"><visual>")
        if let image = texts.image {
            xml.text(image, between: "<binding template=\"ToastImageAndText02\"><image id=\"1\" src=\"", and: "\"/>")
        } else {
            xml.markup("<binding template=\"ToastText02\">")
        }
        xml.text(texts.title ?? "", between: "<text id=\"1\">", and: "</text>")
        xml.text(texts.body ?? "", between: "<text id=\"2\">", and: "</text>")
        xml.markup("</binding></visual></toast>")
    }

    private func writeData(to xml: inout XMLText, hasProof: Bool) {
        guard hasProof else { return xml.text(data.text) }
        xml.text(data.text.dropLast() + #","\#(ReceiptField.proof)":""#)
        xml.gap()
        xml.text(#""}"#)
    }
}
