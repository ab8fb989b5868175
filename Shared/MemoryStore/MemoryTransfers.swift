import ServiceKit
import Store

/// The transfers of one app.
struct MemoryTransfers {
    private struct Client: Hashable {
        let group: Int64
        let id: Int64

        init?(_ transfer: Transfer) {
            guard let id = transfer.clientID else { return nil }
            self.init(group: transfer.group, id: id)
        }

        init(group: Int64, id: Int64) {
            self.group = group
            self.id = id
        }
    }

    struct Reservation {
        let record: TransferRecord
        let isStored: Bool
    }

    private var stored: [UInt64: TransferRecord] = [:]
    /// Including the transfers that are reserved and not stored yet.
    private var clients: [Client: TransferRecord] = [:]

    subscript(id: UInt64) -> TransferRecord? { stored[id] }

    func transfer(clientID: Int64, group: Int64) -> Transfer? {
        clients[Client(group: group, id: clientID)].flatMap { stored[$0.transfer.id] }?.transfer
    }

    func forgotten(at now: Timestamp) -> [UInt64] {
        stored.values.map(\.transfer).filter { $0.isForgotten(at: now) }.map(\.id)
    }

    mutating func reserve(_ record: TransferRecord, at now: Timestamp) throws(StoreError) -> Reservation {
        if let known = stored[record.transfer.id] { return Reservation(record: known, isStored: true) }
        let client = Client(record.transfer)
        if let known = client.flatMap({ clients[$0] }), !known.transfer.isForgotten(at: now) {
            let current = stored[known.transfer.id]
            return Reservation(record: current ?? known, isStored: current != nil)
        }
        guard stored.count < TransferBounds.countMaximum else {
            throw StoreError(
                .tooMany, message: "the app already has the maximum of \(TransferBounds.countMaximum) transfers")
        }
        if let client { clients[client] = record }
        return Reservation(record: record, isStored: false)
    }

    mutating func save(_ record: TransferRecord?, id: UInt64) {
        guard let record else {
            if let client = stored[id].flatMap({ Client($0.transfer) }), clients[client]?.transfer.id == id {
                clients[client] = nil
            }
            stored[id] = nil
            return
        }
        guard !record.isFirst || stored[id] == nil else { return }
        stored[id] = record
        if let client = Client(record.transfer) { clients[client] = record }
    }
}
