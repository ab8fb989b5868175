import PushModel
import ServiceKit
import TestSupport
import Testing

@testable import Topics

/// Compares the fast reader of results with the parser.
@Suite struct ResultScannerTests {
    private static func batch(_ dice: inout Dice) throws -> ResultBatch {
        let reasons = ["", "Unregistered", "a \\ and a \"", "Größe", "\u{1}"]
        let states = DeliveryState.allCases.filter(\.isTerminal)
        let results = (0..<dice.number(below: 6)).map { _ in
            DeviceResult(
                device: DeviceID(
                    index: DeviceIndex(rawValue: UInt32(dice.number(below: 1 << 30))),
                    tag: UInt32(dice.number(below: 1 << 30))),
                provider: PushProtocol.allCases[dice.number(below: PushProtocol.allCases.count)],
                state: states[dice.number(below: states.count)], attempt: UInt8(dice.number(below: 256)),
                status: UInt16(dice.number(below: 65_536)), reason: reasons[dice.number(below: reasons.count)],
                isCounted: dice.number(below: 4) == 0,
                attempted: dice.number(below: 2) == 0 ? Timestamp(milliseconds: 1_700_000_000_123) : nil)
        }
        return ResultBatch(
            task: TaskID(high: UInt64(dice.number(below: 1 << 40)), low: 2), app: try AppID("news"),
            time: Timestamp(milliseconds: Int64(1_767_225_600_000 + dice.number(below: 1 << 30))), results: results)
    }

    @Test func whatIsWrittenHereIsReadTheQuickWay() throws {
        let device = DeviceID(index: DeviceIndex(rawValue: 5), tag: 9)
        let results = DeliveryState.allCases.filter(\.isTerminal).map { state in
            DeviceResult(
                device: device, provider: .fcm, state: state, attempt: 7, status: 404, reason: "Gone",
                isCounted: state == .invalid, attempted: Timestamp(milliseconds: 1_700_000_000_000))
        }
        for results in [[], results] {
            let batch = ResultBatch(
                task: TaskID(high: 1, low: 2), app: try AppID("news"), time: Timestamp(milliseconds: 1),
                results: results)
            #expect(ResultScanner.batch(batch.encoded()) == batch)
        }
    }

    /// Goal: the scanner never differs from the parser. Method: batches with bytes changed, inserted and removed at
    /// random; whatever the scanner reads, the parser reads the same.
    @Test(arguments: Dice.seeds)
    func itReadsNothingThatTheParserDoesNot(seed: UInt64) throws {
        var dice = Dice(seed: seed)
        let alphabet = Array("{}[]\",:0123456789abc\\ \u{7F}".utf8) + [0, 0xFF, 0xC3]
        var read = 0
        for _ in 0..<3_000 {
            let batch = try Self.batch(&dice)
            var bytes = batch.encoded()
            #expect(try ResultBatch(decoding: bytes) == batch)
            for _ in 0..<dice.number(below: 3) {
                let place = dice.number(below: bytes.count)
                switch dice.number(below: 3) {
                case 0: bytes[place] = alphabet[dice.number(below: alphabet.count)]
                case 1: bytes.insert(alphabet[dice.number(below: alphabet.count)], at: place)
                default: bytes.remove(at: place)
                }
            }
            guard let scanned = ResultScanner.batch(bytes) else { continue }
            read += 1
            #expect((try? ResultBatch(parsing: bytes)) == scanned, "\(String(decoding: bytes, as: UTF8.self))")
        }
        #expect(read > 100)
    }
}
