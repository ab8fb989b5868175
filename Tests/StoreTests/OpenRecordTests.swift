import ServiceKit
import Store
import Testing

/// What opens teach about a user, as a value.
@Suite struct OpenRecordTests {
    private static let zone = "Europe/Berlin"
    private let spring = CampaignDigest(of: "spring")
    private let autumn = CampaignDigest(of: "autumn")

    private func counts(_ record: OpenRecord) -> [[Int]] {
        record.cells.map { [Int($0.hour), Int($0.opens), Int($0.deliveries)] }
    }

    @Test func opensAreNeverMoreThanDeliveries() {
        var record = OpenRecord(zone: Self.zone)
        #expect(!record.hasOpens)
        // The first open of a user: its delivery was not counted.
        record.noteOpen(of: spring, hour: 8, in: Self.zone)
        #expect(counts(record) == [[8, 1, 1]] && record.hasOpens)
        record.noteDelivery(of: spring, hour: 8)
        record.noteDelivery(of: spring, hour: 8)
        record.noteOpen(of: spring, hour: 8, in: Self.zone)
        #expect(counts(record) == [[8, 2, 3]])
        // Another campaign and another hour have cells of their own.
        record.noteDelivery(of: autumn, hour: 8)
        record.noteOpen(of: spring, hour: 9, in: Self.zone)
        #expect(counts(record) == [[8, 2, 3], [8, 0, 1], [9, 1, 1]])
        #expect(record.cells.map(\.campaign) == [spring, autumn, spring])
    }

    @Test func theDeviceThatOpenedLastGivesTheZone() {
        var record = OpenRecord(zone: Self.zone)
        record.noteOpen(of: spring, hour: 8, in: "Asia/Tokyo")
        #expect(record.zone == "Asia/Tokyo" && counts(record) == [[8, 1, 1]])
    }

    /// Goal: old habits fade. Method: one cell gets as many deliveries as it may have; all cells are halved, and those
    /// with nothing left go.
    @Test func aFullCellHalvesAll() {
        var record = OpenRecord(zone: Self.zone)
        for _ in 0..<5 { record.noteOpen(of: spring, hour: 7, in: Self.zone) }
        record.noteDelivery(of: autumn, hour: 9)
        record.noteOpen(of: spring, hour: 8, in: Self.zone)
        for _ in 0..<Int(OpenRecord.deliveriesMaximum) - 2 { record.noteDelivery(of: spring, hour: 8) }
        #expect(counts(record) == [[7, 5, 5], [9, 0, 1], [8, 1, 127]])
        record.noteDelivery(of: spring, hour: 8)
        #expect(counts(record) == [[7, 2, 2], [8, 0, 64]] && record.hasOpens)
        for _ in 0..<2 { for _ in 0..<64 { record.noteDelivery(of: spring, hour: 8) } }
        #expect(counts(record) == [[8, 0, 64]] && !record.hasOpens)
    }

    /// Goal: a user has ten cells, and a new open enters one of them, though the others have more.
    @Test func theCellWithTheFewestOpensGoes() {
        var record = OpenRecord(zone: Self.zone)
        for hour in 0..<UInt8(OpenRecord.cellsMaximum) {
            for _ in 0..<3 { record.noteOpen(of: spring, hour: hour, in: Self.zone) }
        }
        record.noteDelivery(of: spring, hour: 4)
        let full = record
        record.noteDelivery(of: spring, hour: 23)
        #expect(record == full)
        record.noteOpen(of: spring, hour: 23, in: Self.zone)
        #expect(record.cells.map(\.hour) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 23])
        record.noteOpen(of: autumn, hour: 23, in: Self.zone)
        #expect(record.cells.count == OpenRecord.cellsMaximum && record.cells.last?.campaign == autumn)
        #expect(!record.cells.contains { $0.hour == 23 && $0.campaign == spring })
    }

    @Test func aRecordComesBackFromItsBytes() {
        var record = OpenRecord(zone: "America/Argentina/ComodRivadavia")
        #expect(OpenRecord(packed: record.packed) == record)
        for number in 0..<OpenRecord.cellsMaximum {
            record.noteOpen(of: CampaignDigest(of: "\(number)"), hour: UInt8(number + 14), in: record.zone)
            #expect(OpenRecord(packed: record.packed) == record)
        }
        #expect(record.packed.count == 1 + 32 + 10 * 6)
    }

    @Test func otherBytesAreNoRecord() {
        var record = OpenRecord(zone: Self.zone)
        record.noteOpen(of: spring, hour: 8, in: Self.zone)
        let packed = record.packed
        for count in 0..<packed.count where count != 14 { #expect(OpenRecord(packed: Array(packed[..<count])) == nil) }
        let wrong: [([UInt8]) -> [UInt8]] = [
            { $0.dropLast(3) + [24, 1, 1] }, { $0.dropLast(2) + [2, 1] },
            { $0 + Array(repeating: $0.suffix(6), count: OpenRecord.cellsMaximum).joined() },
            { _ in [65] + Array(repeating: UInt8(ascii: "A"), count: 65) }, { _ in [1, 0xFF] },
        ]
        for change in wrong { #expect(OpenRecord(packed: change(packed)) == nil) }
    }

    /// Stored digests must stay what they are, and names are bytes: two spellings of an accent are two campaigns.
    @Test func aCampaignIsItsBytes() {
        var record = OpenRecord(zone: "UTC")
        record.noteOpen(of: spring, hour: 0, in: "UTC")
        #expect(Array(record.packed[4..<7]) == [0x33, 0xC8, 0x78])
        #expect(CampaignDigest(of: "\u{E9}") != CampaignDigest(of: "e\u{301}"))
        #expect(CampaignDigest(of: "") != CampaignDigest(of: "\u{0}"))
    }
}
