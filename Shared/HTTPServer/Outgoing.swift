import TLSSocket

/// Bytes to be sent to one client.
struct Outgoing {
    enum Progress {
        case done
        /// The client must read first.
        case blocked(hasMoved: Bool)
        case broken
    }

    private var pieces: [[UInt8]] = []
    private var first = 0
    /// Bytes of the first piece already sent.
    private var offset = 0

    var isEmpty: Bool { pieces.isEmpty }

    mutating func append(_ piece: [UInt8]) {
        if !piece.isEmpty { pieces.append(piece) }
    }

    mutating func write(to socket: TLSSocket) -> Progress {
        var hasMoved = false
        while first < pieces.count {
            let isLast = first == pieces.count - 1
            let transfer = try? pieces[first].withUnsafeBytes { bytes in
                try socket.write(UnsafeRawBufferPointer(rebasing: bytes[offset...]), hasMore: !isLast)
            }
            guard let transfer else { return .broken }
            guard case .bytes(let count) = transfer else {
                return transfer == .end ? .broken : .blocked(hasMoved: hasMoved)
            }
            hasMoved = true
            offset += count
            guard offset == pieces[first].count else { continue }
            offset = 0
            // Releases a large piece immediately, not after the last one is sent.
            pieces[first] = []
            first += 1
        }
        // An idle connection holds no memory.
        pieces = []
        first = 0
        return .done
    }
}
