import PushModel
import Store
import TestSupport
import Testing

@testable import targeting_resolver

@Suite struct MeantDevicesTests {
    @Test(arguments: Dice.seeds)
    func theyComeBackAsTheyWere(seed: UInt64) throws {
        var dice = Dice(seed: seed)
        let targets = (0..<dice.number(below: 40)).map { _ in
            let count = [0, 1, 200, 255, 256, 4_096][dice.number(below: 6)]
            let members = SegmentSet((0..<count).map { _ in UInt16(dice.number(below: 4_096)) })
            return SelectedDevices(
                segment: SegmentNumber(rawValue: UInt32(dice.number(below: Int(SegmentNumber.maximum) + 1))),
                members: members, silent: members.intersection(SegmentSet([1, 7, 4_095])), records: PackedDevices())
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
}
