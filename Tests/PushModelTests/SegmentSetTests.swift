import PushModel
import TestSupport
import Testing

@Suite struct SegmentSetTests {
    /// Goal: the operations are those of sets. Method: compare with sets of the standard library.
    @Test(arguments: Dice.seeds)
    func theAlgebraIsThatOfSets(seed: UInt64) {
        var dice = Dice(seed: seed)
        for _ in 0..<100 {
            let (left, right) = (offsets(&dice), offsets(&dice))
            let (a, b) = (SegmentSet(left), SegmentSet(right))
            #expect(a.offsets == left.sorted())
            #expect(a.count == left.count && a.isEmpty == left.isEmpty)
            #expect(a.union(b) == SegmentSet(left.union(right)))
            #expect(a.intersection(b) == SegmentSet(left.intersection(right)))
            #expect(a.subtracting(b) == SegmentSet(left.subtracting(right)))
            #expect(SegmentSet(bytes: a.bytes) == a)
        }
    }

    @Test(arguments: Dice.seeds)
    func insertsAndRemoves(seed: UInt64) {
        var dice = Dice(seed: seed)
        var (set, model, differences) = (SegmentSet(), Set<UInt16>(), 0)
        for _ in 0..<20_000 {
            let offset = UInt16(dice.number(below: DeviceIndex.segmentCapacity))
            if dice.chance(1, of: 2) {
                set.insert(offset)
                model.insert(offset)
            } else {
                set.remove(offset)
                model.remove(offset)
            }
            if set.contains(offset) != model.contains(offset) { differences += 1 }
        }
        #expect(differences == 0)
        #expect(set.offsets == model.sorted())
    }

    @Test func bytesHaveTheLowestOffsetInTheLowestBitOfTheFirst() {
        for offset: UInt16 in [0, 1, 7, 8, 63, 64, 4_095] {
            var bytes = [UInt8](repeating: 0, count: SegmentSet.bytesCount)
            bytes[Int(offset / 8)] = 1 << (offset % 8)
            #expect(SegmentSet([offset]).bytes == bytes)
            #expect(SegmentSet(bytes: bytes) == SegmentSet([offset]))
        }
    }

    @Test func bytesThatAreMissingAreZero() {
        #expect(SegmentSet(bytes: []) == SegmentSet())
        #expect(SegmentSet(bytes: [0, 2]) == SegmentSet([9]))
        #expect(SegmentSet(bytes: [UInt8](repeating: 0xFF, count: 512)).map(\.count) == 4_096)
        #expect(SegmentSet(bytes: [UInt8](repeating: 0, count: 513)) == nil)
    }

    private func offsets(_ dice: inout Dice) -> Set<UInt16> {
        let count = dice.chance(1, of: 4) ? dice.number(below: 4) : dice.number(below: 4_000)
        return Set((0..<count).map { _ in UInt16(dice.number(below: DeviceIndex.segmentCapacity)) })
    }
}
