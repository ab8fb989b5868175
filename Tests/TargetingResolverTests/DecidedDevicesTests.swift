import PushModel
import Store
import TestSupport
import Testing

@testable import TargetingResolver

@Suite struct MeantDevicesTests {
    @Test(arguments: Dice.seeds)
    func theyComeBackAsTheyWere(seed: UInt64) throws {
        var dice = Dice(seed: seed)
        let targets = (0..<dice.number(below: 40)).map { _ in
            let count = [0, 1, 200, 255, 256, 4_096][dice.number(below: 6)]
            let members = SegmentSet((0..<count).map { _ in UInt16(dice.number(below: 4_096)) })
            let varied = dice.number(below: 2) == 0 ? [] : members.offsets.filter { _ in dice.number(below: 4) > 0 }
            let contents = varied.map { offset in
                (offset, ContentNumber(part: dice.number(below: 1_000_000), place: dice.number(below: 400)))
            }
            return SelectedDevices(
                segment: SegmentNumber(rawValue: UInt32(dice.number(below: Int(SegmentNumber.maximum) + 1))),
                members: members, silent: members.intersection(SegmentSet([1, 7, 4_095])),
                contents: Dictionary(uniqueKeysWithValues: contents), records: PackedDevices())
        }
        let decided = DecidedDevices(targets, unmatched: [0, 1, 400][dice.number(below: 3)])
        let bytes = decided.encoded
        #expect(try DecidedDevices(decoding: bytes) == decided)
        for _ in 0..<200 where !bytes.isEmpty {
            var turned = bytes
            turned[dice.number(below: turned.count)] ^= dice.bytes(1)[0]
            _ = try? DecidedDevices(decoding: Array(turned.prefix(dice.number(below: turned.count + 1))))
        }
    }

    /// An earlier version reads and writes these bytes.
    @Test func devicesWithoutContentsAreKeptAsBefore() throws {
        let segment = SegmentNumber(rawValue: 300)
        let targets = SelectedDevices(
            segment: segment, members: SegmentSet([5, 258]), silent: SegmentSet([5]), records: PackedDevices())
        let bytes: [UInt8] = [0xAC, 0x02, 2, 5, 0, 2, 1, 1, 5, 0]
        #expect(DecidedDevices([targets]).encoded == bytes)
        #expect(try DecidedDevices(decoding: bytes) == DecidedDevices([targets]))
    }
}
