import PushModel

/// The format in stores: the zone, then of each cell its campaign (3 bytes, little-endian), hour, opens and deliveries.
/// The first byte is the length of the zone: one above its maximum is left to later formats.
extension OpenRecord {
    package var packed: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(counted: zone.utf8)
        for cell in cells {
            let campaign = cell.campaign.number
            bytes += [0, 8, 16].map { UInt8(truncatingIfNeeded: campaign >> $0) }
            bytes += [cell.hour, cell.opens, cell.deliveries]
        }
        return bytes
    }

    /// Nil for anything else.
    package init?(packed bytes: [UInt8]) {
        var reader = ByteReader(bytes)
        guard let zone = reader.text(), zone.utf8.count <= OpenRecord.zoneBytesMaximum else { return nil }
        var cells: [Cell] = []
        while !reader.isAtEnd {
            guard cells.count < OpenRecord.cellsMaximum, let campaign = reader.bytes(CampaignDigest.bytes),
                let hour = reader.byte(), hour < 24, let opens = reader.byte(), let deliveries = reader.byte(),
                opens <= deliveries
            else { return nil }
            let digest = CampaignDigest(number: campaign.reversed().reduce(0) { $0 << 8 | UInt32($1) })
            cells.append(Cell(campaign: digest, hour: hour, opens: opens, deliveries: deliveries))
        }
        self.init(zone: zone, cells: cells)
    }
}
