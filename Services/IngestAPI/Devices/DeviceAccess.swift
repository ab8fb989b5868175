import HTTPServer
import PushModel
import Signing
import Store

/// Access to a single device by its id. A caller with a public key reaches only the device whose token it presents.
struct DeviceAccess: Sendable {
    let limits: RequestLimits

    /// False for a public key that does not present the device's token. The device is then answered as an unknown one.
    func isPresented(_ registered: RegisteredDevice, in call: AuthorizedRequest) -> Bool {
        guard call.caller.publicKey != nil else { return true }
        let token = registered.device.token
        guard let text = call.request.headers[DeviceTokenHeader.name],
            let presented = try? PushToken(token.kind, text: text)
        else { return false }
        return ConstantTime.areEqual(Array(presented.text.utf8), Array(token.text.utf8))
    }

    /// Counts unknown ids, so that an address that guesses them is refused after some time.
    func with<Answer>(
        _ id: String, of call: AuthorizedRequest, _ body: (DeviceID) async throws -> Answer?
    ) async throws -> Answer {
        if let id = DeviceID(id) {
            try limits.admitSearch(in: call.app, from: call.request.peer)
            if let answer = try await body(id) { return answer }
        }
        limits.noteUnknownDevice(in: call.app, from: call.request.peer)
        throw TaskError.notRegistered
    }
}
