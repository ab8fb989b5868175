import PushModel
import ServiceKit
import Store

extension Population {
    /// The body of a request to `send-batch`: each device with a content of its own. `number` is that of the order.
    func batch(_ order: Order, number: Int) -> [UInt8] {
        let life = Int(order.timeToLive / .seconds(1))
        let elements = devices(of: order).sorted().map { device in
            """
            {"messages":{"android":{"content":{"title":"Goal","text":"\(Population.ownText(device))",\
            "time_to_live":\(life)}},\
            "iOS":{"content":{"title":"Goal","text":"\(Population.ownText(device))","expiration":\(life)}}},\
            "devices":[{"id_type":"\(idType(device))","id_values":["\(token(device))"]}]}
            """
        }
        return Array(
            """
            {"push_batch_request":{"group_id":\(Population.group.id),"client_transfer_id":\(number),"tag":"scores",\
            "batch":[\(elements.joined(separator: ","))]}}
            """.utf8)
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
