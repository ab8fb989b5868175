import JSONKit
import PushModel
import Synchronization

extension HistoryRun {
    /// A publisher that made a mistake. Stores that come back with older data may have forgotten the key.
    func postOther(_ number: Int) async {
        guard !history.loses, record.task(of: number) != nil, history.orders[number].dialect.keepsKeys,
            let request = requests.withLock({ $0[number] })
        else { return }
        let other = request.withOtherText
        await ask { publisher in
            do {
                _ = try await publisher.send(other)
            } catch let refusal as SimulatedAPI.RefusalError where refusal.status == 422 {
                return { _ in }
            }
            return { $0.takeKeyAgain(of: number) }
        }
    }
}

extension OrderDialect {
    /// True if a key belongs to the request that first had it.
    fileprivate var keepsKeys: Bool { [.native, .richie, .pushd].contains(self) }
}

extension PublisherRequest {
    fileprivate var withOtherText: PublisherRequest {
        let text = String(decoding: body, as: UTF8.self).replacing("One to nil", with: "Two to nil")
        return PublisherRequest(method, path, body: Array(text.utf8), key: key)
    }
}
