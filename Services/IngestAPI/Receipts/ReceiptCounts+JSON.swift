import PushModel
import ServiceKit
import Store

extension ReceiptCounts {
    func write(to json: inout JSONText) {
        json.member("delivered", self[.delivered])
        json.member("opened", self[.opened])
        json.member("dismissed", self[.dismissed])
        json.member("actions", self[.action])
    }
}
