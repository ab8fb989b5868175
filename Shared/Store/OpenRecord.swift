import ServiceKit

/// At which hours a user opens pushes: how many were delivered and opened, by the campaign of the pushes and by the hour
/// of the user's clock at which they were sent. Counters are halved now and then, so that habits of the past fade.
package struct OpenRecord: Hashable, Sendable {
    package struct Cell: Hashable, Sendable {
        package let campaign: CampaignDigest
        /// 0 to 23.
        package let hour: UInt8
        /// Never more than deliveries.
        package internal(set) var opens: UInt8 = 0
        package internal(set) var deliveries: UInt8 = 0

        package var isEmpty: Bool { opens == 0 && deliveries == 0 }
    }

    package static let cellsMaximum = 10
    package static let zoneBytesMaximum = 64
    /// All counters are halved when one cell has as many deliveries. With half of it, a user who opens one push in ten
    /// at the same hour would hardly ever have five opens.
    package static let deliveriesMaximum: UInt8 = 128

    /// IANA name: the time zone of the device that opened a push last.
    package private(set) var zone: String
    package private(set) var cells: [Cell]

    package init(zone: String) {
        self.init(zone: zone, cells: [])
    }

    init(zone: String, cells: [Cell]) {
        precondition(zone.utf8.count <= OpenRecord.zoneBytesMaximum, "names of time zones have at most 64 bytes")
        self.zone = zone
        self.cells = cells
    }

    package var hasOpens: Bool { cells.contains { $0.opens > 0 } }

    /// On a device in this zone. The push may have been counted as delivered before, or not: the open came first, or is
    /// the user's first.
    package mutating func noteOpen(of campaign: CampaignDigest, hour: UInt8, in zone: String) {
        self = OpenRecord(zone: zone, cells: cells)
        note(campaign, hour: hour) { cell in
            cell.opens += 1
            cell.deliveries = max(cell.deliveries, cell.opens)
        }
        // A new habit replaces one of the old, even if those have more opens.
        removeLeast(except: { $0.campaign == campaign && $0.hour == hour })
    }

    package mutating func noteDelivery(of campaign: CampaignDigest, hour: UInt8) {
        note(campaign, hour: hour) { $0.deliveries += 1 }
        removeLeast(except: { _ in false })
    }

    private mutating func note(_ campaign: CampaignDigest, hour: UInt8, change: (inout Cell) -> Void) {
        precondition(hour < 24, "a day has 24 hours")
        let place = cells.firstIndex { $0.campaign == campaign && $0.hour == hour } ?? cells.endIndex
        if place == cells.endIndex { cells.append(Cell(campaign: campaign, hour: hour)) }
        change(&cells[place])
        guard cells[place].deliveries >= OpenRecord.deliveriesMaximum else { return }
        for place in cells.indices {
            cells[place].opens /= 2
            cells[place].deliveries /= 2
        }
        cells.removeAll(where: \.isEmpty)
    }

    private mutating func removeLeast(except isKept: (Cell) -> Bool) {
        guard cells.count > OpenRecord.cellsMaximum else { return }
        let least = cells.indices.filter { !isKept(cells[$0]) }.min {
            (cells[$0].opens, cells[$0].deliveries) < (cells[$1].opens, cells[$1].deliveries)
        }
        if let least { cells.remove(at: least) }
    }
}

/// 24 bits of the name of a campaign. Two campaigns of a publisher that share them are learnt as one.
package struct CampaignDigest: Hashable, Sendable {
    package static let bytes = 3
    let number: UInt32

    init(number: UInt32) {
        self.number = number
    }

    package init(of campaign: String) {
        let mixed = campaign.utf8.reduce(UInt64(0)) { SplitMix64.mixed($0 ^ UInt64($1)) }
        number = UInt32(truncatingIfNeeded: mixed >> 40)
    }
}
