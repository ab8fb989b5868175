import JSONKit
import PushModel
import Rendering
import TaskModel
import TestSupport
import Testing
import Topics

@Suite struct LimitTests {
    private static let kinds: [(PushProtocol, Platform)] = [(.apns, .ios), (.fcm, .android), (.huawei, .android)]

    private static func task(_ text: String, badge: String = "") throws -> RenderedTask {
        try RenderedTask(message: #"{"body":"\#(text)"\#(badge)}"#, platforms: Set(Platform.allCases))
    }

    /// The longest accepted text, found by bisection; one byte more is refused, with the limit of its provider.
    @Test(arguments: [(PushProtocol.webpush, 3_993), (.wns, 5_000), (.mpns, 5_000)], ["", #","badge":"increment""#])
    func theLimitsOfTheWebAndOfWindows(_ provider: (kind: PushProtocol, bytes: Int), badge: String) throws {
        func task(_ count: Int) throws -> RenderedTask {
            var task = try LimitTests.task("", badge: badge)
            // Longer than a request's text may be.
            task.task.content.message?.body = LocalizedText(String(repeating: "x", count: count))
            return task
        }
        func variant(_ count: Int) throws -> RenderedVariant {
            try task(count).rendering.variant(
                for: provider.kind, language: nil, isSilent: false, phone: .withFlipTiles)
        }
        var (taken, refused) = (0, 6_000)
        while refused - taken > 1 {
            let middle = (taken + refused) / 2
            if (try? variant(middle)) != nil { taken = middle } else { refused = middle }
        }
        #expect(try variant(taken).payload.payload(token: "", badge: .max).count == provider.bytes)
        let flaws = try task(refused).rendering.checkLimits(of: [provider.kind])
        #expect(flaws.map(\.path) == ["message"])
        #expect(flaws.first?.message.hasSuffix("at most \(provider.bytes)") == true, "\(flaws)")
    }

    @Test func anAddressTakesManyLanguages() throws {
        var task = try LimitTests.task("b")
        func flaws(_ languages: Int) -> [RenderingError] {
            let translations = Dictionary(
                uniqueKeysWithValues: (0..<languages).map { ("l\($0)", String(repeating: "x", count: 1_000)) })
            task.task.content.message?.body = LocalizedText("b", translations: translations)
            return task.rendering.checkLimits(of: [.http])
        }
        #expect(flaws(60).isEmpty)
        #expect(flaws(70).map(\.path) == ["message"])
        #expect(flaws(70).first?.message.hasPrefix("too long for HTTP") == true)
        let long = #"{"a":"\#(String(repeating: "x", count: 65_500))"}"#
        #expect(try RenderedTask(payloads: [.http: long]).rendering.checkLimits().isEmpty)
        let longer = #"{"a":"\#(String(repeating: "x", count: 65_530))"}"#
        #expect(try RenderedTask(payloads: [.http: longer]).rendering.checkLimits().map(\.path) == ["payloads.http"])
    }

    /// Names and values take three bytes for most characters in a phone's parameter, and six for quotation marks in a
    /// computer's.
    @Test func dataOfAToastIsMeasuredAsItIsWritten() throws {
        let texts = [
            (PushProtocol.mpns, String(repeating: "ü", count: 900)), (.wns, String(repeating: #"\""#, count: 800)),
        ]
        for (kind, text) in texts {
            let task = try RenderedTask(message: #"{"body":"b","data":{"k":"\#(text)"}}"#, platforms: [.windows])
            #expect(task.rendering.checkLimits(of: [kind]).map(\.path) == ["message"])
            #expect(throws: Never.self) { try task.rendering.variant(for: kind, language: nil, isSilent: true) }
        }
    }

    /// The longest accepted text, found by bisection; one byte more is refused, with the path of the field to shorten.
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
        // FCM does not count the envelope of the message.
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
        #expect(flaws.map(\.path) == ["message"])
        #expect(flaws[0].message.contains("for Apple"))
        #expect(task.rendering.checkLimits(of: [.huawei]).map(\.path) == ["message"])
    }

    /// Huawei's data is JSON within JSON, where a quotation mark takes three bytes more than for FCM.
    @Test func onlyTheProvidersThatAreAskedForBoundATask() throws {
        let quotes = String(repeating: #"\""#, count: 1_500)
        let task = try RenderedTask(payloads: [.android: #"{"data":{"k":"\#(quotes)"}}"#])
        #expect(task.rendering.checkLimits(of: [.fcm]).isEmpty)
        let flaws = task.rendering.checkLimits(of: [.fcm, .huawei])
        #expect(flaws.map(\.path) == ["payloads.android"])
        #expect(flaws.first?.message.contains("for Huawei") == true)
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
        let path = platform == .ios ? "payloads.ios" : "payloads.android.data"
        #expect(Set(task.rendering.checkLimits().map(\.path)) == [path])
    }

    /// Goal: an oversized payload is cheap to refuse, however large it would become. Method: documents that repeat a
    /// long path for each of many members, or are large in another way; the CPU time of this thread per byte.
    @Test(arguments: [
        nested(name: 30_000, members: 3_000, "1"), nested(name: 30_000, members: 3_000, "[]"),
        nested(name: 120_000, members: 11_000, "1"),
        nested(name: 300_000, members: 60_000, "{}"), nested(name: 120_000, members: 11_000, "[1e300,[2]]"),
        flat(members: 60_000, "null"), flat(members: 60_000, "[{}]"),
        LargeText("a list of numbers", text: #"{"a":[\#(zeros(500_000))]}"#),
        LargeText("a text", text: #"{"a":"\#(String(repeating: "x", count: 1_000_000))"}"#),
    ])
    func dataThatCannotBeSentIsRefusedBeforeItIsMadeFlat(_ large: LargeText) throws {
        let data = large.text
        let tasks = [
            try RenderedTask(payloads: [.android: #"{"data":\#(data)}"#]),
            try RenderedTask(payloads: [.ios: #"{"aps":\#(data)}"#]),
            try RenderedTask(payloads: [.android: #"{"notification":\#(data)}"#]),
            try RenderedTask(payloads: [.web: data]), try RenderedTask(payloads: [.windows: #"{"data":\#(data)}"#]),
        ]
        for task in tasks {
            let begun = ThreadUsage.cpuSeconds
            let flaws = task.rendering.checkLimits()
            let used = ThreadUsage.cpuSeconds - begun
            #expect(!flaws.isEmpty)
            #expect(
                flaws.allSatisfy { $0.path.utf8.count + $0.message.utf8.count < 1_000 }, "\(flaws.map(\.path.count))")
            #expect(used < 0.02 + 2e-6 * Double(data.utf8.count), "\(used) s for \(data.utf8.count) bytes")
        }
    }

    private static func nested(name: Int, members: Int, _ value: String) -> LargeText {
        let inner = flat(members: members, value)
        let text = #"{"\#(String(repeating: "a", count: name))":\#(inner.text)}"#
        return LargeText("\(inner) in a name of \(name) bytes", text: text)
    }

    private static func flat(members: Int, _ value: String) -> LargeText {
        let all = (0..<members).map { "\"\(String($0, radix: 36))\":\(value)" }.joined(separator: ",")
        return LargeText("\(members) members \(value)", text: "{\(all)}")
    }

    private static func zeros(_ count: Int) -> String {
        Array(repeating: "0", count: count).joined(separator: ",")
    }

    /// Flattened names grow with every level, and the size of the flattened object with them.
    @Test func nestingIsMeasuredOnceItIsFlat() throws {
        let fits = try RenderedTask(payloads: [.android: #"{"data":{"a":{"b":{"c":"x","d":[1,{"e":null}]}}}}"#])
        #expect(try fits.payload(.fcm)["message"]?["data"] == JSON(#"{"a.b.c":"x","a.b.d":"[1,{\"e\":null}]"}"#))
        let name = String(repeating: "n", count: 500)
        let members = (0..<9).map { #""\#($0)":"""# }.joined(separator: ",")
        let grows = try RenderedTask(payloads: [.android: #"{"data":{"\#(name)":{\#(members)}}}"#])
        #expect(grows.flaw(.fcm)?.path == "payloads.android.data")
        #expect(
            grows.flaw(.fcm)?.message.hasPrefix("too long: more than 4096 bytes after nested values are flattened")
                == true)
    }

    /// Goal: the limit applies to the silent variant too, although it is usually shorter than the visible one.
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
        (#"{"body":"b","url":"https://a.example/","data":{"url":"b"}}"#, "message.data.url"),
    ])
    func namesOfTheProvidersAreRefused(message: String, path: String) throws {
        let flaws = try RenderedTask(message: message, platforms: Set(Platform.allCases)).rendering.checkLimits()
        #expect(Set(flaws.map(\.path)) == [path])
    }
}
