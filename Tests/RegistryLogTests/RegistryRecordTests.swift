import Bus
import PushModel
import ServiceKit
import Store
import Testing
import Topics

@testable import RegistryLog

@Suite struct RegistryRecordTests {
    private let topic: TopicName
    private let app: AppID

    init() throws {
        topic = try TopicName("news:sport/ü")
        app = try AppID("a-1")
    }

    private func change(_ content: RegistryChange.Content) -> RegistryChange {
        RegistryChange(app: app, index: DeviceIndex(segment: SegmentNumber(rawValue: 12), offset: 4_095), content)
    }

    @Test func everyChangeSurvives() throws {
        for seed in 1...20 as ClosedRange<UInt64> {
            for change in try History(seed: seed, steps: 200).changes {
                let record = RegistryRecord(change)
                #expect(try RegistryRecord(key: record.key, value: record.value).change == change)
            }
        }
    }

    /// Existing logs contain this encoding; it must not change.
    @Test func keysAreTextAndValuesHaveAVersion() {
        func key(_ content: RegistryChange.Content) -> String {
            String(decoding: RegistryRecord(change(content)).key, as: UTF8.self)
        }
        #expect(key(.device(nil)) == "a-1:12\0d:4095")
        #expect(key(.badge(3)) == "a-1:12\0b:4095")
        #expect(key(.subscription(topic, [])) == "a-1:12\0s:4095:news:sport/ü")
        #expect(RegistryRecord(change(.badge(0x0102))).value == [1, 2, 1, 0, 0])
        #expect(RegistryRecord(change(.subscription(topic, .ignoreMessage))).value == [1, 1])
    }

    /// Goal: a saved audience is a record of the app's first segment, and of no device.
    @Test func anAudienceIsOfTheFirstSegment() throws {
        let name = try AudienceName("vip")
        let change = RegistryChange(app: app, index: RegistryChange.ofApp, .audience(name, Array("{}".utf8)))
        let record = RegistryRecord(change)
        #expect(String(decoding: record.key, as: UTF8.self) == "a-1:0\0a:0:vip")
        #expect(try RegistryRecord(key: record.key, value: record.value).change == change)
        #expect(try RegistryRecord(key: record.key, value: []).change.content == .audience(name, nil))
        for key in ["a-1:1\0a:0:vip", "a-1:0\0a:1:vip", "a-1:0\0a:0:VIP", "a-1:0\0a:0"] {
            #expect(throws: MalformedMessageError.self) { try RegistryRecord(key: Array(key.utf8), value: [1]) }
        }
    }

    /// Goal: facts of activities are records of their own in the first segment of a space. Their encoding must not
    /// change.
    @Test func factsOfActivitiesAreOfASpace() throws {
        let order = try ActivityID("order:7 é")
        let record = ActivityRecord(time: Timestamp(milliseconds: 0x0102), content: [9, 8])
        for (kind, letter) in [(ActivityFact.Kind.base, "b"), (.state, "s"), (.end, "e")] {
            let change = RegistryChange(
                app: app.activities, index: RegistryChange.ofApp, .activity(ActivityFact(kind, of: order), record))
            let logged = RegistryRecord(change)
            #expect(String(decoding: logged.key, as: UTF8.self) == "a-1.live:0\0l\(letter):0:order:7 é")
            #expect(logged.value == [1, 2, 1, 0, 0, 0, 0, 0, 0, 9, 8])
            #expect(try RegistryRecord(key: logged.key, value: logged.value).change == change)
            let forgotten = try RegistryRecord(key: logged.key, value: []).change.content
            #expect(forgotten == .activity(ActivityFact(kind, of: order), nil))
        }
        for key in ["a-1:0\0lb:0:x", "a-1.live:1\0lb:0:x", "a-1.live:0\0lx:0:x", "a-1.live:0\0lb:0"] {
            #expect(throws: MalformedMessageError.self) {
                try RegistryRecord(key: Array(key.utf8), value: [1, 0, 0, 0, 0, 0, 0, 0, 0])
            }
        }
    }

    /// Goal: groups and transfers are records of the app's first segment. Their encoding must not change.
    @Test func groupsAndTransfersAreOfTheFirstSegment() throws {
        let group = TransferGroup(id: 77, name: "news é", rate: 5_000, isArchived: true)
        let transfer = Transfer(
            id: 1 << 52, group: 77, clientID: -3, tag: "t", created: Timestamp(milliseconds: 12),
            fingerprint: [UInt8](repeating: 7, count: 32), tasks: [TaskID(high: 1, low: 2)], errors: ["no"],
            isAccepted: true)
        for (content, key) in [
            (.group(group), "a-1:0\0g:0:77"),
            (.transfer(transfer.id, TransferRecord(transfer, isFirst: true)), "a-1:0\0x:0:4503599627370496"),
        ] as [(RegistryChange.Content, String)] {
            let change = RegistryChange(app: app, index: RegistryChange.ofApp, content)
            let record = RegistryRecord(change)
            #expect(String(decoding: record.key, as: UTF8.self) == key)
            #expect(try RegistryRecord(key: record.key, value: record.value).change == change)
        }
        #expect(group.packed == [0x88, 0x13, 0, 0, 1] + Array("news é".utf8))
        let packed = TransferRecord(transfer, isFirst: false).packed
        #expect(String(decoding: packed.prefix(11), as: UTF8.self) == "12 77 -3 1 ")
        #expect(packed.count == 11 + 1 + 32 + 2 + 1 + 16 + 3)
        let gone = try RegistryRecord(key: Array("a-1:0\0x:0:8".utf8), value: [])
        #expect(gone.change.content == .transfer(8, nil))
        #expect(gone.value.isEmpty)
    }

    @Test(arguments: [
        "a-1:1\0g:0:7", "a-1:0\0g:1:7", "a-1:0\0g:0:07", "a-1:0\0g:0:0", "a-1:0\0g:0:2147483648", "a-1:0\0g:0",
        "a-1:1\0x:0:7", "a-1:0\0x:1:7", "a-1:0\0x:0:+7", "a-1:0\0x:0:0", "a-1:0\0x:0:9007199254740992",
    ])
    func otherKeysAreNoGroupOrTransfer(text: String) throws {
        let group = TransferGroup(id: 7, name: "n", rate: 100)
        for value in [[], [1] + group.packed] as [[UInt8]] {
            #expect(throws: MalformedMessageError.self) { try RegistryRecord(key: Array(text.utf8), value: value) }
        }
    }

    @Test func otherValuesAreNoGroupOrTransfer() throws {
        let record = TransferRecord(
            Transfer(
                id: 7, group: 7, clientID: nil, tag: "", created: Timestamp(milliseconds: 0),
                fingerprint: [UInt8](repeating: 0, count: 32)), isFirst: true
        ).packed
        let rest = Array(record.dropFirst("0 7  0 ".utf8.count))
        let heads = ["0 7  2 ", "00 7  0 ", "-1 7  0 ", "0 0  0 ", "0 7 x 0 ", "0 7 +1 0 ", "0 7 0 ", ""]
        let transfers = [record.dropLast(), record + [1], []] + heads.map { Array($0.utf8) + rest }
        let key = Array("a-1:0\0x:0:7".utf8)
        #expect(try RegistryRecord(key: key, value: [1] + record).value == [1] + record)
        for value in transfers {
            #expect(throws: MalformedMessageError.self, "\(value)") { try RegistryRecord(key: key, value: [1] + value) }
        }
        for value in [[], [1, 0, 0, 0, 2, 65], [1, 0, 0, 0, 0], [1, 0, 0, 0, 0, 10], [1, 0, 0]] as [[UInt8]] {
            #expect(throws: MalformedMessageError.self, "\(value)") {
                try RegistryRecord(key: Array("a-1:0\0g:0:7".utf8), value: value.isEmpty ? [] : [1] + value)
            }
        }
    }

    @Test func whatIsGoneHasNoValue() {
        for content in [.device(nil), .badge(nil), .subscription(topic, nil)] as [RegistryChange.Content] {
            #expect(RegistryRecord(change(content)).value.isEmpty)
        }
    }

    @Test func allOfASegmentShareAPartition() {
        let keys = [.device(nil), .badge(1), .subscription(topic, [])].map { RegistryRecord(change($0)).key }
        #expect(Set(keys).count == 3)
        #expect(Set(keys.map { Partitioner.partition(ofKey: $0, count: 64) }).count == 1)
    }

    @Test func optionsOfALaterVersionArePassedOver() throws {
        let record = try RegistryRecord(key: RegistryRecord(change(.subscription(topic, []))).key, value: [1, 0xF1])
        #expect(record.change == change(.subscription(topic, .ignoreMessage)))
    }

    @Test(arguments: [
        "", "a:1", "a:1\0", "a:1\0d", "a:1\0d:", "a:1\0d:4096", "a:1\0d:-1", "a:1\0d:01", "a:1\0d:+1", "a:1\0d:1:x",
        "a:1\0x:1", "a:1\0s:1", "a:1\0s:1:", "a:1\0s:1:\u{7}", "a:1048576\0d:1", "a:01\0d:1", "a\0d:1", "a:1:2\0d:1",
        "A:1\0d:1", ":1\0d:1", "a:1\0d:1\0",
    ])
    func otherKeysAreNone(text: String) {
        #expect(throws: MalformedMessageError.self) { try RegistryRecord(key: Array(text.utf8), value: []) }
    }

    @Test func otherValuesAreNone() {
        let badge = RegistryRecord(change(.badge(1))).key
        let device = RegistryRecord(change(.device(nil))).key
        let subscription = RegistryRecord(change(.subscription(topic, nil))).key
        let wrong: [([UInt8]?, [UInt8])] = [
            (nil, []), (badge, [2, 1, 0, 0, 0]), (badge, [1, 1, 0, 0]), (badge, [1, 1, 0, 0, 0, 0]), (device, [1]),
            (device, [1, 0x11]), (subscription, [1]), (subscription, [1, 0, 0]), ([0xFF, 0, 0x64], []),
        ]
        for (key, value) in wrong {
            #expect(throws: MalformedMessageError.self) { try RegistryRecord(key: key, value: value) }
        }
    }

    /// Goal: no input traps, and a decoded record has the key it was decoded from. Method: valid records with bytes
    /// changed, removed and inserted.
    @Test func hostileBytesNeverTrap() throws {
        let random = SeededRandomSource(seed: 7)
        let records = try History(seed: 7, steps: 300).changes.map { RegistryRecord($0) }
        func spoilt(_ bytes: [UInt8]) -> [UInt8] {
            var bytes = bytes
            for _ in 0..<(random.next() % 3) {
                let place = Int(random.next() % UInt64(bytes.count + 1))
                switch random.next() % 3 {
                case 0: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: place)
                case 1: bytes = Array(bytes.prefix(place))
                default: if place < bytes.count { bytes[place] = UInt8(truncatingIfNeeded: random.next()) }
                }
            }
            return bytes
        }
        var read = 0
        for _ in 0..<20_000 {
            let record = records[Int(random.next() % UInt64(records.count))]
            let key = spoilt(record.key)
            guard let again = try? RegistryRecord(key: key, value: spoilt(record.value)) else { continue }
            #expect(again.key == key)
            read += 1
        }
        #expect((1_000..<19_000).contains(read))
    }
}
