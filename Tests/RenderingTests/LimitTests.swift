import JSONKit
import PushModel
import Rendering
import TaskModel
import Testing
import Topics

@Suite struct LimitTests {
    private static let kinds: [(PushProtocol, Platform)] = [(.apns, .ios), (.fcm, .android), (.huawei, .android)]

    private static func task(_ text: String, badge: String = "") throws -> RenderedTask {
        try RenderedTask(message: #"{"body":"\#(text)"\#(badge)}"#)
    }

    /// The longest text that is taken, found by trying; one byte more is refused, with the path of what to shorten.
    @Test(arguments: kinds, ["", #","badge":"increment""#])
    func fourKilobytesAreTheMost(_ provider: (kind: PushProtocol, platform: Platform), badge: String) throws {
        func isTaken(_ count: Int) throws -> Bool {
            try LimitTests.task(String(repeating: "x", count: count), badge: badge).flaw(provider.kind) == nil
        }
        var (taken, refused) = (0, 4_096)
        while refused - taken > 1 {
            let middle = (taken + refused) / 2
            if try isTaken(middle) { taken = middle } else { refused = middle }
        }
        let longest = try LimitTests.task(String(repeating: "x", count: taken), badge: badge).variant(provider.kind)
        let bytes = longest.payload.payload(token: "", badge: .max).count
        // What surrounds the message is not counted by Google.
        #expect(provider.kind == .fcm ? bytes > 4_096 : bytes == 4_096 || (badge.isEmpty && bytes > 4_000))
        let flaw = try LimitTests.task(String(repeating: "x", count: refused), badge: badge).flaw(provider.kind)
        #expect(flaw?.path == "message")
        #expect(flaw?.message.contains("4096") == true)
    }

    @Test func everyLanguageIsLookedAt() throws {
        let long = String(repeating: "é", count: 2_040)
        let task = try RenderedTask(message: #"{"body":{"default":"short","fr":"\#(long)","de":"kurz"}}"#)
        #expect(task.flaw(.apns) == nil)
        let flaws = task.rendering.checkLimits()
        #expect(flaws.count == 3)
        #expect(flaws.allSatisfy { $0.path == "message" })
    }

    @Test func whatFitsHasNoFlaws() throws {
        let task = try RenderedTask(
            message: #"{"title":{"default":"a","fr":"b"},"badge":"increment","data":{"k":"v"}}"#,
            payloads: [.ios: #"{"aps":{"alert":"x"}}"#])
        #expect(task.rendering.checkLimits().isEmpty)
    }

    @Test func dataAloneMayBeTooLarge() throws {
        let task = try RenderedTask(message: #"{"body":"b","data":{"k":"\#(String(repeating: "x", count: 5_000))"}}"#)
        let flaws = task.rendering.checkLimits()
        #expect(flaws.map(\.path) == ["message.data"])
        #expect(flaws[0].message.contains("5008 bytes"))
    }

    @Test(arguments: [Platform.ios, .android]) func aWrittenPayloadIsMeasuredToo(_ platform: Platform) throws {
        let long = String(repeating: "x", count: 4_200)
        let payload = platform == .ios ? #"{"aps":{"alert":"\#(long)"}}"# : #"{"data":{"k":"\#(long)"}}"#
        let task = try RenderedTask(payloads: [platform: payload])
        #expect(Set(task.rendering.checkLimits().map(\.path)) == ["payloads.\(platform.rawValue)"])
    }

    /// Goal: what wakes an app counts, though it is shorter than most of what is shown.
    @Test(arguments: [(4_056, true, true), (4_057, true, false), (4_066, true, false), (4_067, false, false)])
    func aSilentVariantMayBeTheLongest(count: Int, isShown: Bool, isTaken: Bool) throws {
        let payload = #"{"pad":"\#(String(repeating: "x", count: count))","aps":{"alert":"x"}}"#
        let task = try RenderedTask(payloads: [.ios: payload])
        #expect((task.flaw(.apns) == nil) == isShown)
        #expect(task.rendering.checkLimits().isEmpty == isTaken)
    }

    @Test(arguments: [
        (#"{"body":"b","data":{"aps":1}}"#, "message.data.aps"),
        (#"{"body":"b","image":"https://a.example/","data":{"image":1}}"#, "message.data.image"),
        (#"{"body":"b","data":{"gcm.x":"y"}}"#, "message.data.gcm.x"),
    ])
    func namesOfTheProvidersAreRefused(message: String, path: String) throws {
        let flaws = try RenderedTask(message: message).rendering.checkLimits()
        #expect(Set(flaws.map(\.path)) == [path])
    }
}
