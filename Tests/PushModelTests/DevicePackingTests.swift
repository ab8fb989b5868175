import PushModel
import ServiceKit
import TestSupport
import Testing

@Suite struct DevicePackingTests {
    @Test(arguments: Dice.seeds)
    func aDeviceComesBack(seed: UInt64) throws {
        var dice = Dice(seed: seed)
        for _ in 0..<500 {
            let device = try DevicePackingTests.device(&dice)
            #expect(Device(packed: device.packed[...]) == device, "\(device)")
            let head = Device.PackedHead(([0, 0] + device.packed)[2...])
            #expect(head?.kind == device.token.kind && head?.tag == device.tag, "\(device)")
        }
    }

    /// Goal: no stored bytes crash the reader. Method: every prefix of a record, records with changed bytes, and noise
    /// after a valid head.
    @Test(arguments: Dice.seeds)
    func hostileBytesAreBorne(seed: UInt64) throws {
        var dice = Dice(seed: seed)
        for _ in 0..<50 {
            let packed = try DevicePackingTests.device(&dice).packed
            for end in packed.indices {
                _ = Device(packed: packed[..<end])
                #expect((Device.PackedHead(packed[..<end]) != nil) == (end >= 6))
            }
            for _ in 0..<200 {
                var turned = packed
                for _ in 0...dice.number(below: 4) { turned[dice.number(below: turned.count)] ^= dice.bytes(1)[0] }
                _ = Device(packed: turned[...]).map { $0.packed }
            }
            let noise = dice.bytes(dice.number(below: 100))
            _ = Device(packed: noise[...])
            _ = Device(packed: (packed[..<14] + noise)[...])
        }
    }

    @Test func aCutRecordIsNoDevice() throws {
        let packed = try Device(tag: 1, token: PushToken(.apns, text: String(repeating: "ab", count: 32)), created: 2)
            .packed
        #expect(packed.count == 1 + 1 + 4 + 4 + 1 + 1 + 1 + 32)
        for end in packed.indices { #expect(Device(packed: packed[..<end]) == nil) }
        #expect(Device(packed: (packed + [1])[...]) == nil)
    }

    /// Goal: the keys of a browser come back whole, also in the glance, and a record with others is no device.
    @Test func keysOfABrowserComeBack() throws {
        let token = try PushToken(.webpush, text: "https://push.example/1")
        var device = Device(tag: 1, token: token, created: 2)
        #expect(DeviceGlance(packed: device.packed[...])?.webPushKeys == nil)
        let keys = try #require(WebPushKeys(publicKey: [4] + Array(1...64), secret: Array(1...16)))
        device.webPushKeys = keys
        device.language = "de"
        #expect(Device(packed: device.packed[...]) == device)
        #expect(DeviceGlance(packed: device.packed[...])?.webPushKeys == keys)
        for end in device.packed.indices { #expect(Device(packed: device.packed[..<end])?.webPushKeys == nil) }
        #expect(WebPushKeys(publicKey: [2] + Array(1...64), secret: Array(1...16)) == nil)
        #expect(WebPushKeys(publicKey: [4] + Array(1...63), secret: Array(1...16)) == nil)
        #expect(WebPushKeys(publicKey: [4] + Array(1...64), secret: Array(1...15)) == nil)
    }

    @Test func theMarkOfARemovalIsNoDevice() {
        #expect(Device(packed: [0xFF, 1, 2, 3, 4][...]) == nil)
        #expect(Device.PackedHead([0xFF, 1, 2, 3, 4, 5, 6][...]) == nil)
    }

    /// Goal: a later version may add fields of any kind, and this version still reads the rest.
    @Test func fieldsOfLaterVersionsArePassedOver() throws {
        var device = Device(tag: 1, token: try PushToken(.apns, text: String(repeating: "ab", count: 32)), created: 2)
        let head = device.packed
        device.language = "de"
        let language = device.packed.dropFirst(head.count)
        for field: [UInt8] in [[8, 1, 65], [16, 0], [23, 2, 0xFF, 0xC0], [200, 3, 0x80, 0x81, 0x82]] {
            #expect(Device(packed: (head + field + language)[...]) == device, "\(field)")
        }
    }

    @Test func aFieldThatIsNoTextIsNoDevice() throws {
        let head = Device(tag: 1, token: try PushToken(.apns, text: String(repeating: "ab", count: 32)), created: 2)
            .packed
        for field: [UInt8] in [[1, 1, 0xFF], [17, 2, 0xC0, 0x80], [4, 3, 65]] {
            #expect(Device(packed: (head + field)[...]) == nil, "\(field)")
        }
    }

    static func device(_ dice: inout Dice) throws -> Device {
        var device = Device(
            tag: UInt32(truncatingIfNeeded: dice.next()), token: try token(&dice),
            created: UInt32(truncatingIfNeeded: dice.next()))
        device.updated = UInt32(truncatingIfNeeded: dice.next())
        if dice.chance(1, of: 3) { device.environment = .sandbox }
        if dice.chance(1, of: 2) { device.contentAvailable = dice.chance(1, of: 2) }
        device.reportsMoments = dice.chance(1, of: 2)
        for field in [\Device.language, \.version, \.category, \.timeZone, \.appVersion] where dice.chance(1, of: 2) {
            device[keyPath: field] = dice.text(0...200, of: "aZ0 /é\u{1F514}\0")
        }
        for kind in Alias.Kind.allCases where dice.chance(1, of: 3) {
            device.aliases[kind] = dice.text(1...128, of: "aZ0-é")
        }
        return device
    }

    private static func token(_ dice: inout Dice) throws -> PushToken {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        switch PushProtocol.ofDevices[dice.number(below: PushProtocol.ofDevices.count)] {
        case .apns: return try PushToken(.apns, text: Hexadecimal.encode(dice.bytes(32 + dice.number(below: 69))))
        case .fcm: return try PushToken(.fcm, text: dice.text(32...400, of: letters + ":"))
        case .huawei: return try PushToken(.huawei, text: dice.text(16...400, of: letters + "!~./=+"))
        case let kind: return try PushToken(kind, text: "https://" + dice.text(4...400, of: letters + "/?:&=%"))
        }
    }
}
