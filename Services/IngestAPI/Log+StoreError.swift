import ServiceKit
import Store

extension Log {
    /// Of what the store answered, that for which a client is answered 5xx.
    func noteRefusal(_ error: StoreError) {
        switch error.code {
        case .tooMany: break
        case .corrupt: self.error("the store holds what cannot be read", [.error: "\(error)"])
        case .unavailable, .notReady, .full, .refused: warning("the store did not do a request", [.error: "\(error)"])
        }
    }
}
