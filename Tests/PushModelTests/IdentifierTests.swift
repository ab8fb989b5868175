import PushModel
import TestSupport
import Testing

@Suite struct IdentifierTests {
    @Test(arguments: Dice.seeds)
    func deviceIdsComeBack(seed: UInt64) {
        var dice = Dice(seed: seed)
        let edges: [UInt32] = [0, 1, 4_095, 4_096, .max]
        for round in 0..<1_000 {
            let index = round < edges.count ? edges[round] : UInt32.random(in: 0 ... .max, using: &dice)
            let id = DeviceID(index: DeviceIndex(rawValue: index), tag: UInt32.random(in: 0 ... .max, using: &dice))
            #expect(id.description.utf8.count == 11)
            #expect(DeviceID(id.description) == id)
        }
    }

    @Test func deviceIdsOfNeighboursLookDifferent() {
        let texts = (0..<1_000).map { DeviceID(index: DeviceIndex(rawValue: $0), tag: $0 &* 0x9E37_79B1).description }
        #expect(Set(texts.map { $0.prefix(4) }).count > 900)
        #expect(Set(texts.map { $0.suffix(4) }).count > 900)
    }

    @Test func otherTextsAreNoDeviceIds() {
        let good = DeviceID(index: DeviceIndex(rawValue: 5), tag: 6).description
        for bad in ["", "a", good + "A", String(good.dropLast()), String(good.dropLast()) + "=", "aaaaaaaaaa\u{E9}"] {
            #expect(DeviceID(bad) == nil, "\(bad)")
        }
        // The last character has two unused bits: only one of four spellings is a valid id.
        let spellings = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
            .compactMap { DeviceID(String(good.dropLast()) + String($0)) }
        #expect(spellings.count == 16 && Set(spellings).count == 16)
    }

    @Test func anIndexIsASegmentAndAPlace() {
        let index = DeviceIndex(segment: SegmentNumber(rawValue: SegmentNumber.maximum), offset: 4_095)
        #expect(index.rawValue == .max)
        #expect(index.segment.rawValue == SegmentNumber.maximum && index.offset == 4_095)
        let next = DeviceIndex(rawValue: 4_096)
        #expect(next.segment.rawValue == 1 && next.offset == 0)
        #expect(next == DeviceIndex(segment: SegmentNumber(rawValue: 1), offset: 0))
        #expect(DeviceIndex(rawValue: 4_095) < next)
    }

    @Test func aSegmentIsNamedWithItsApp() throws {
        #expect(try SegmentID(AppID("shop"), number: SegmentNumber(rawValue: 7)).description == "shop:7")
    }

    @Test(arguments: Dice.seeds)
    func taskIdsComeBack(seed: UInt64) {
        var dice = Dice(seed: seed)
        for _ in 0..<200 {
            let task = TaskID(high: dice.next(), low: dice.next())
            #expect(TaskID(task.description) == task)
            #expect(TaskID(task.description.uppercased()) == task)
            #expect(TaskID(bytes: task.bytes) == task)
            #expect(task.key.utf8.count == 22)
            #expect(Base64URL.decode(task.key) == task.bytes)
        }
    }

    @Test func taskIdsAreWrittenAsUUIDs() {
        let task = TaskID(high: 0x0123_4567_89AB_CDEF, low: 0x0011_2233_4455_6677)
        #expect(task.description == "01234567-89ab-cdef-0011-223344556677")
        #expect(
            task.bytes == [1, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF, 0, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77])
    }

    @Test(arguments: [
        "", "0123456789abcdef0011223344556677", "01234567-89ab-cdef-0011-22334455667",
        "{01234567-89ab-cdef-0011-223344556677}",
        "01234567-89ab-cdef-0011-22334455667g", "0123456-789ab-cdef-0011-223344556677",
        "01234567-89ab-cdef-0011-223344556677-",
    ])
    func otherTextsAreNoTaskIds(text: String) {
        #expect(TaskID(text) == nil)
    }

    @Test func otherBytesAreNoTaskIds() {
        #expect(TaskID(bytes: []) == nil)
        #expect(TaskID(bytes: [UInt8](repeating: 0, count: 15)) == nil)
        #expect(TaskID(bytes: [UInt8](repeating: 0, count: 17)) == nil)
    }
}
