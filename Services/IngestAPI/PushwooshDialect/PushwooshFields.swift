import JSONKit
import PushModel
import ServiceKit
import TaskModel

/// Fields that several calls have. Errors are added to the problems of the fields.
extension JSONFields {
    /// How the SDK names a device; needed in every call.
    func hwid() -> Alias? {
        text("hwid", expected: "1 to \(Alias.bytesMaximum) bytes without control characters", isRequired: true) {
            try? Alias(.hardware, value: $0)
        }
    }

    func user(isRequired: Bool = false) -> String? {
        text(
            "userId", expected: "1 to \(Alias.bytesMaximum) bytes without control characters", isRequired: isRequired
        ) { (try? Alias(.externalUser, value: $0))?.value }
    }

    func activityToken(_ name: String) -> PushwooshToken? {
        text(name, expected: "\(PushToken.rule(of: .liveActivity)), or an empty string", isRequired: true) { text in
            text.isEmpty ? .removed : (try? PushToken(.liveActivity, text: text)).map { .given($0) }
        }
    }

    /// An object of a Live Activity. Its rendering checks the whole payload, which has the same limit.
    func activityObject(_ name: String) -> JSONObject? {
        guard let object = value(name, expected: "an object", isRequired: true, convert: { $0.object }) else {
            return nil
        }
        let bytes = JSON.object(object).compactBytes.count
        guard bytes <= PushwooshPublishing.payloadBytesMaximum else {
            reject(name, message: "too long: it has \(bytes) bytes; at most \(PushwooshPublishing.payloadBytesMaximum)")
            return nil
        }
        return object
    }
}
