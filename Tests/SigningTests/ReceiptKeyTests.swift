import PushModel
import ServiceKit
import Signing
import Testing

/// Proofs of receipts. The vectors were computed with Python's `hmac`: payloads that are on their way must stay valid.
@Suite struct ReceiptKeyTests {
    private static let secret = Array("a pepper of thirty-two bytes or more".utf8)
    private static let task = TaskID(high: 0x00F5_C216_EE53_4E29, low: 0xAF13_F109_D556_3A9E)

    private static func key(_ app: String = "news", secret: [UInt8] = secret) throws -> ReceiptKey {
        ReceiptKey(secret: secret, app: try AppID(app))
    }

    private static func prover(_ key: ReceiptKey, task: TaskID = task) -> ReceiptProver {
        ReceiptProver(key.taskKey(of: task))
    }

    @Test func aTaskHasTheKeyOfTheVector() throws {
        #expect(
            Hexadecimal.encode(try Self.key().taskKey(of: Self.task).bytes) == "5d9c74b80045eefb4e1331fe704197ab")
    }

    @Test(arguments: [
        (UInt32(900_000), UInt32(77), UInt16(20_370), "TQAAAPF6IAo", Platform.ios, "T5JSKn7xb6gfJw"),
        (900_000, 77, 20_370, "TQAAAPF6IAo", .android, "T5KZPE8y6jC-Mw"),
        (0, 0, 0, "AAAAAAAAAAA", .web, "AAAQXe1UQP0YBQ"),
        (.max, .max, .max, "_____7V9l5g", .windows, "___W9mV7NZECPA"),
        (.max, .max, .max, "_____7V9l5g", .http, "__94Pt_hMrLCRw"),
    ])
    func proofsAreThoseOfTheVectors(
        index: UInt32, tag: UInt32, day: UInt16, device: String, platform: Platform, proof: String
    ) throws {
        let id = try #require(DeviceID(device))
        #expect(id == DeviceID(index: DeviceIndex(rawValue: index), tag: tag))
        let prover = Self.prover(try Self.key())
        #expect("\(prover.proof(of: id, on: platform, day: day))" == proof)
        let read = try #require(ReceiptProof(proof))
        #expect(read.day == day && prover.platform(provenBy: read, of: id) == platform)
    }

    /// A proof is one for its installation, app, task, device and day, and for no other.
    @Test func aProofProvesNothingElse() throws {
        let device = DeviceID(index: DeviceIndex(rawValue: 5), tag: 6)
        let prover = Self.prover(try Self.key())
        let proof = prover.proof(of: device, on: .android, day: 20_000)
        #expect(prover.platform(provenBy: proof, of: device) == .android)
        #expect(prover.platform(provenBy: ReceiptProof(day: 20_001, code: proof.code), of: device) == nil)
        #expect(prover.platform(provenBy: ReceiptProof(day: 20_000, code: proof.code ^ 1), of: device) == nil)
        #expect(prover.platform(provenBy: ReceiptProof(day: 20_000, code: proof.code ^ 1 << 63), of: device) == nil)
        #expect(prover.platform(provenBy: proof, of: DeviceID(index: DeviceIndex(rawValue: 5), tag: 7)) == nil)
        #expect(prover.platform(provenBy: proof, of: DeviceID(index: DeviceIndex(rawValue: 6), tag: 6)) == nil)
        let otherTask = TaskID(high: Self.task.high, low: Self.task.low ^ 1)
        #expect(Self.prover(try Self.key(), task: otherTask).platform(provenBy: proof, of: device) == nil)
        #expect(Self.prover(try Self.key("shop")).platform(provenBy: proof, of: device) == nil)
        #expect(Self.prover(try Self.key(secret: Self.secret + [0])).platform(provenBy: proof, of: device) == nil)
    }

    @Test(arguments: ["", "T5JNtDiDTRMiF", "T5JNtDiDTRMiFAA", "T5JNtDiDTRMiFB", "T5JNtDiDTRMi=A", "T5JNtDiDTRMi\u{E9}"])
    func otherTextsAreNoProofs(text: String) {
        #expect(ReceiptProof(text) == nil)
    }

    @Test func aDayIsCountedFromTheBeginningOfTheEra() {
        let day: Int64 = 86_400_000
        #expect(ReceiptProof.day(of: Timestamp(milliseconds: 20_370 * day + day - 1)) == 20_370)
        #expect(ReceiptProof.day(of: Timestamp(milliseconds: .min)) == 0)
        #expect(ReceiptProof.day(of: Timestamp(milliseconds: .max)) == .max)
        #expect(ReceiptProof.begin(of: 20_370) == Timestamp(milliseconds: 20_370 * day))
    }

    @Test func keysDoNotPrintThemselves() throws {
        let key = try Self.key()
        let taskKey = key.taskKey(of: Self.task)
        for text in ["\(key)", String(reflecting: key), "\(taskKey)", String(reflecting: taskKey)] {
            #expect(text == "[secret]")
        }
        var dumped = ""
        dump([taskKey], to: &dumped)
        #expect(!dumped.contains("93"), "\(dumped)")
        #expect(TaskReceiptKey(bytes: Array(repeating: 1, count: 15)) == nil)
    }
}
