import JSONKit
import PushModel
import Rendering
import TaskModel
import TestSupport
import Testing
import Topics

@testable import ProviderSimulator

/// Goal: any input of a publisher is either refused with a reason or accepted by the provider; no input ends the
/// process. Method: messages and payloads from pieces that are long, nested, reserved, empty or misspelled, rendered
/// for every kind of device and checked by the simulator with the providers' rules.
@Suite struct AcceptedPayloadTests {
    private static let token = String(repeating: "t", count: 40)

    @Test(arguments: Dice.seeds) func whatIsRenderedIsTaken(seed: UInt64) throws {
        var dice = Dice(seed: seed)
        var taken = 0
        var refused = 0
        for _ in 0..<250 {
            let task = try AcceptedPayloadTests.task(&dice)
            let flaws = task.rendering.checkLimits()
            refused += flaws.isEmpty ? 0 : 1
            for kind in PushProtocol.ofDevices {
                for (language, isSilent) in [(nil, false), ("fr-CA", false), ("\u{0}-", false), ("fr", true)] {
                    guard let variant = try? task.variant(kind, language: language, isSilent: isSilent) else {
                        #expect(!flaws.isEmpty || !task.task.content.targetedPlatforms.contains(Platform(kind)))
                        continue
                    }
                    try AcceptedPayloadTests.show(variant, to: kind)
                    taken += 1
                }
            }
        }
        #expect(taken > 500 && refused > 25, "\(taken) taken, \(refused) refused")
    }

    private static func show(_ variant: RenderedVariant, to kind: PushProtocol) throws {
        let body = variant.payload.payload(token: token, badge: .max)
        switch kind {
        case .apns:
            var payloads = ApplePayloads()
            let type = try #require(ApplePushType(rawValue: variant.pushType))
            _ = try payloads.check(body, bytesMaximum: type.payloadBytesMaximum)
            #expect(type != .background || variant.priority == .normal)
            #expect((1...64).contains(variant.collapseID.utf8.count))
        case .fcm:
            let message = try GoogleMessage(body)
            #expect(message.target == .token(token))
            #expect(message.task != nil)
        case .huawei:
            let message = try ReceivedHuaweiMessage(body)
            #expect(message.tokens == [token])
            #expect(message.task != nil)
        case .webpush:
            #expect(body.count <= 3_993)
            let json = try JSON(body)
            if let notification = json["notification"] {
                #expect(json["web_push"] == .integer(8_030))
                #expect(notification["title"]?.text != nil && notification["navigate"]?.text != nil)
            }
        case .wns, .mpns:
            #expect(body.count <= 5_000)
            if body.first != UInt8(ascii: "<") { _ = try JSON(body) }
        case .http:
            #expect(body.count <= 65_536)
            #expect(try JSON(body)["data"] != nil)
        case .liveActivity, .channel: Issue.record("messages are not for activities")
        }
    }

    private static func task(_ dice: inout Dice) throws -> RenderedTask {
        var task = try RenderedTask(message: #"{"data":{}}"#, platforms: Set(Platform.allCases))
        var message = PushMessage()
        if dice.chance(3, of: 4) { message.title = text(&dice) }
        if dice.chance(1, of: 4) { message.subtitle = text(&dice) }
        if dice.chance(3, of: 4) { message.body = text(&dice) }
        if dice.chance(1, of: 2) { message.data = object(&dice, depth: 3) }
        if dice.chance(1, of: 2) {
            message.badge = dice.chance(1, of: 2) ? .increment : .set(UInt32(dice.number(below: 200)))
        }
        if dice.chance(1, of: 4) { message.sound = dice.chance(1, of: 2) ? "default" : word(&dice) }
        if dice.chance(1, of: 4) { message.image = "https://bells.example/" + word(&dice) }
        if dice.chance(1, of: 4) { message.category = word(&dice) }
        if dice.chance(1, of: 8) { message.url = "https://bells.example/" + word(&dice) }
        message.isSilent = dice.chance(1, of: 8)
        if dice.chance(1, of: 2) { message.android = android(&dice) }
        if dice.chance(1, of: 2) { message.apple = apple(&dice) }
        task.task.content.message = message
        if dice.chance(1, of: 4) {
            message.body = text(&dice)
            task.task.content.messages = [Platform.allCases[dice.number(below: Platform.allCases.count)]: message]
        }
        task.task.content.variables = ["x": word(&dice)]
        if dice.chance(1, of: 4) {
            task.task.content.payloads[.ios] = JSONObject([
                ("aps", .object(object(&dice, depth: 2))), ("task_id", .string(RenderedTask.idText)),
            ])
        }
        if dice.chance(1, of: 4) {
            var data = object(&dice, depth: 2)
            data["task_id"] = .string(RenderedTask.idText)
            task.task.content.payloads[.android] = JSONObject([("data", .object(data))])
        }
        if dice.chance(1, of: 4) {
            task.task.content.payloads[.web] = JSONObject([("notification", .object(object(&dice, depth: 2)))])
        }
        if dice.chance(1, of: 4) {
            task.task.content.payloads[.windows] = JSONObject([("data", .object(object(&dice, depth: 2)))])
        }
        if dice.chance(1, of: 4) { task.task.options.collapseID = word(&dice) }
        task.task.options.timeToLive = .seconds(dice.number(below: 3) * 10_000_000)
        return task
    }

    private static func android(_ dice: inout Dice) -> AndroidFields {
        var fields = AndroidFields()
        if dice.chance(1, of: 3) { fields.channel = word(&dice) }
        if dice.chance(1, of: 3) { fields.importance = dice.number(below: 5) - 2 }
        let allowed = AndroidFields.millisecondsAllowed
        fields.vibration = (0..<dice.number(below: 64)).map { _ in dice.number(below: allowed.count) }
        if dice.chance(1, of: 3) { fields.light = AndroidFields.Light() }
        fields.light?.color = color(&dice)
        fields.light?.onMilliseconds = dice.number(below: allowed.count)
        if dice.chance(1, of: 3) { fields.visibility = AndroidFields.Visibility.allCases[dice.number(below: 3)] }
        if dice.chance(1, of: 3) { fields.icon = word(&dice) }
        if dice.chance(1, of: 3) { fields.color = color(&dice) }
        if dice.chance(1, of: 3) { fields.banner = "https://bells.example/" + word(&dice) }
        if dice.chance(1, of: 3) { fields.timeToLive = .seconds(dice.number(below: 3) * 1_000_000) }
        if dice.chance(1, of: 3) { fields.priority = dice.chance(1, of: 2) ? .high : .normal }
        return fields
    }

    private static func apple(_ dice: inout Dice) -> AppleFields {
        var fields = AppleFields()
        if dice.chance(1, of: 3) { fields.thread = word(&dice) }
        fields.isMutable = dice.chance(1, of: 3)
        fields.attachments = (0..<dice.number(below: 3)).map {
            AppleFields.Attachment(id: "\($0)", url: "https://bells.example/" + word(&dice))
        }
        if dice.chance(1, of: 3) { fields.relevance = Double(dice.number(below: 11)) / 10 }
        if dice.chance(1, of: 3) { fields.interruption = .timeSensitive }
        if dice.chance(1, of: 3) { fields.collapseID = "c" }
        return fields
    }

    private static func color(_ dice: inout Dice) -> HexColor {
        let parts = (0..<4).map { _ in UInt8(dice.number(below: 256)) }
        return HexColor(alpha: parts[0], red: parts[1], green: parts[2], blue: parts[3])
    }

    private static func text(_ dice: inout Dice) -> LocalizedText {
        var translations: [String: String] = [:]
        for language in ["fr", "fr-CA", "de"] where dice.chance(1, of: 3) { translations[language] = sentence(&dice) }
        return LocalizedText(sentence(&dice), translations: translations)
    }

    private static func sentence(_ dice: inout Dice) -> String {
        let pieces = ["Fire ", "é\u{301}", "\"", "\\", "\u{0}\n", "🔔", "${var.x}", "${data.a}", "${", "}", "$"]
        let count = dice.chance(1, of: 12) ? 600 : dice.number(below: 6)
        // An unclosed variable or one without a value is an error, and would make nearly every task invalid.
        let kinds = dice.chance(1, of: 6) ? pieces.count : 7
        return (0..<count).map { _ in pieces[dice.number(below: kinds)] }.joined()
    }

    private static func word(_ dice: inout Dice) -> String {
        let words = ["", "a", "b.c", "score", "from", "gcm.x", "aps", "image", "task_id", "ü\u{1F}", "${var.x}"]
        guard dice.chance(1, of: 5) else { return "k\(dice.number(below: 50))" }
        return dice.chance(1, of: 10) ? String(repeating: "w", count: 5_000) : words[dice.number(below: words.count)]
    }

    private static func object(_ dice: inout Dice, depth: Int) -> JSONObject {
        JSONObject((0..<dice.number(below: 4)).map { _ in (word(&dice), value(&dice, depth: depth)) })
    }

    private static func value(_ dice: inout Dice, depth: Int) -> JSON {
        switch dice.number(below: depth > 0 ? 8 : 6) {
        case 0: .null
        case 1: .bool(dice.chance(1, of: 2))
        case 2: .integer(Int64.min)
        case 3: .unsigned(.max)
        case 4: .number(dice.chance(1, of: 2) ? .infinity : -1.5e300)
        case 5: .string(word(&dice))
        case 6: .array([value(&dice, depth: depth - 1)])
        default: .object(object(&dice, depth: depth - 1))
        }
    }
}
