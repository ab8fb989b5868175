import JSONKit
import ServiceKit

@testable import Apps
@testable import PushModel

/// API keys of callers, and app files.
enum AccessTargets {
    static func access(_ bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        if let key = APIKey(text) {
            try FuzzError.check(key.reveal() == text, message: "a key has two spellings")
            try FuzzError.check(!"\(key)".contains(text.suffix(43)), message: "a key prints its secret")
        }
        guard let presented = PresentedKey.text(inAuthorization: text) else {
            throw FuzzError(description: "a header without a key")
        }
        try FuzzError.check(presented.utf8.count <= text.utf8.count, message: "a key is longer than its header")
        _ = APIKey(presented)
    }

    /// An app file is accepted or its problems are listed, with the same result for its indented text.
    static func apps(_ bytes: [UInt8]) throws {
        let id = try AppID("app")
        let (app, problems) = AppReader.read(bytes, id: id, folder: "/apps")
        try FuzzError.check((app == nil) == !problems.isEmpty, message: "an app and problems, or neither")
        let limits = JSONLimits(bytesMaximum: AppReader.bytesMaximum, depthMaximum: 8)
        guard let json = try? JSON(bytes, limits: limits) else { return }
        let text = Array(json.indentedText.utf8)
        guard text.count <= AppReader.bytesMaximum else { return }
        let again = AppReader.read(text, id: id, folder: "/apps")
        try FuzzError.check(
            again.problems.map { "\($0)" } == problems.map { "\($0)" }, message: "other problems after a round trip")
        try FuzzError.check(
            again.app?.quietHours == app?.quietHours, message: "other quiet hours after a round trip")
    }
}
