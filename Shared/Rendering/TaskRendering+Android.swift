import JSONKit
import PushModel
import ServiceKit
import TaskModel
import Topics

extension TaskRendering {
    private struct Android {
        var notification: AndroidNotification?
        var data: FlatData
        let path: String
        /// True if the data has the task's id, so that a proof helps the app.
        var provesReceipt = false
    }

    func googleVariant(_ selection: Selection) throws(RenderingError) -> RenderedVariant {
        let (terms, content) = (try terms(of: selection), try android(selection))
        var message = FCMMessage()
        message.notification = content.notification
        message.data = content.data
        message.priority = terms.priority(isSilent: selection.isSilent)
        message.timeToLive = terms.timeToLive
        message.provesReceipt = content.provesReceipt
        // Google stores only four collapse keys per device and drops others, so none is generated.
        if terms.isCollapseIDChosen { message.collapseKey = terms.collapseID }
        return variant(
            selection, terms: terms, priority: message.priority, tag: content.notification?.tag,
            payload: try message.template(path: content.path))
    }

    func huaweiVariant(_ selection: Selection) throws(RenderingError) -> RenderedVariant {
        let (terms, content) = (try terms(of: selection), try android(selection))
        var message = HuaweiMessage()
        message.notification = content.notification
        message.data = content.data
        message.priority = terms.priority(isSilent: selection.isSilent)
        message.timeToLive = terms.timeToLive
        message.provesReceipt = content.provesReceipt && listsFewDevices
        return variant(
            selection, terms: terms, priority: message.priority, tag: content.notification?.tag,
            payload: try message.template(path: content.path))
    }

    private func variant(
        _ selection: Selection, terms: DeliveryTerms, priority: RenderedVariant.Priority, tag: String?,
        payload: PayloadTemplate
    ) -> RenderedVariant {
        RenderedVariant(
            kind: selection.kind, priority: priority, pushType: "", collapseID: tag ?? "",
            expiration: terms.expiration, payload: payload, isSilent: selection.isSilent)
    }

    private func android(_ selection: Selection) throws(RenderingError) -> Android {
        let terms = try terms(of: selection)
        var android =
            if let written = content.payloads[.android] {
                try TaskRendering.android(written)
            } else {
                try android(of: try message(for: .android), selection)
            }
        if selection.isSilent { android.notification = nil }
        if android.notification != nil, android.notification?.tag == nil {
            android.notification?.tag = terms.collapseID
        }
        // An empty message would not wake the app.
        if android.notification == nil, android.data.isEmpty {
            android.data[ReceiptField.task] = task
            android.provesReceipt = provesReceipts
        }
        return android
    }

    private func android(of message: PlatformMessage, _ selection: Selection) throws(RenderingError) -> Android {
        let data = try message.data.get()
        let provesReceipt =
            provesReceipts && data[ReceiptField.task] == task && data[ReceiptField.proof] == nil
        var android = Android(data: data, path: message.path, provesReceipt: provesReceipt)
        android.notification = try texts(of: message, selection).map { AndroidNotification(message.content, texts: $0) }
        return android
    }

    private static func android(_ written: JSONObject) throws(RenderingError) -> Android {
        let path = "payloads.android"
        try ProviderBounds.check(written, path: path)
        var android = Android(data: FlatData(), path: path)
        for (name, value) in written.members {
            guard name == "data" || name == "notification" else {
                throw RenderingError(
                    "\(path).\(OutsideText.excerpt(name))", message: "unknown field; use data and notification")
            }
            guard let object = value.object else {
                throw RenderingError("\(path).\(name)", message: "expected an object, got \(value.kind)")
            }
            if name == "data" {
                android.data = try FlatData(object, path: "\(path).data")
            } else {
                android.notification = try AndroidNotification(object, path: "\(path).notification")
            }
        }
        guard !written.members.isEmpty else {
            throw RenderingError(path, message: "empty; expected data or notification")
        }
        return android
    }
}
