import Glibc

/// Bytes on their way to one client.
struct Outgoing {
    enum Progress {
        case done
        /// The client has to read first.
        case blocked
        case broken
    }

    private var pieces: [[UInt8]] = []
    private var first = 0
    /// Of the first piece, what was sent.
    private var offset = 0

    var isEmpty: Bool { pieces.isEmpty }

    mutating func append(_ piece: [UInt8]) {
        if !piece.isEmpty { pieces.append(piece) }
    }

    mutating func write(to descriptor: Int32) -> Progress {
        while first < pieces.count {
            let isLast = first == pieces.count - 1
            let flags = Int32(MSG_NOSIGNAL) | (isLast ? 0 : Int32(MSG_MORE))
            let count = pieces[first].withUnsafeBytes { bytes in
                send(descriptor, bytes.baseAddress.map { $0 + offset }, bytes.count - offset, flags)
            }
            guard count >= 0 else {
                if errno == EINTR { continue }
                return errno == EAGAIN ? .blocked : .broken
            }
            offset += count
            guard offset == pieces[first].count else { continue }
            offset = 0
            // A large piece is given back at once and not when the last one is sent.
            pieces[first] = []
            first += 1
        }
        // An idle connection keeps no memory.
        pieces = []
        first = 0
        return .done
    }
}
