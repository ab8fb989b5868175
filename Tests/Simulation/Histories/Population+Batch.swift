import PushModel
import ServiceKit
import Store

extension Population {
    /// The body of a request to `send-batch`: one content for all devices, or each device with a content of its own.
    /// `number` is that of the order.
    func batch(_ order: Order, number: Int) -> [UInt8] {
        let devices = devices(of: order).sorted()
        let elements =
            order.target.hasContents
            ? devices.map { element([$0], of: order) } : [element(devices, of: order)]
        return Array(
            """
            {"push_batch_request":{"group_id":\(Population.group.id),"client_transfer_id":\(number),"tag":"scores",\
            "batch":[\(elements.joined(separator: ","))]}}
            """.utf8)
    }

    private func element(_ devices: [Int], of order: Order) -> String {
        let life = Int(order.timeToLive / .seconds(1))
        let text = text(of: order, for: devices[0])
        let ids = devices.map { "{\"id_type\":\"\(idType($0))\",\"id_values\":[\"\(token($0))\"]}" }
        return """
            {"messages":{"android":{"content":{"title":"Goal","text":"\(text)","time_to_live":\(life)}},\
            "iOS":{"content":{"title":"Goal","text":"\(text)","expiration":\(life)}}},\
            "devices":[\(ids.joined(separator: ","))]}
            """
    }

    private func idType(_ device: Int) -> String {
        switch kind(device) {
        case .apns: "ios_push_token"
        case .fcm: "android_push_token"
        case .huawei: "huawei_push_token"
        default: preconditionFailure("no id of it is known")
        }
    }
}
