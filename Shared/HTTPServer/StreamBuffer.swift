/// Data written to a stream and not read yet. Pure state: `HTTPStream` holds it under its lock and acts.
///
/// The reader is idle exactly while `isReaderWaiting`; each call that ends the wait reports so once.
struct StreamBuffer {
    enum Written: Equatable {
        case stored(wakesReader: Bool)
        case full
        case readerLeft
    }

    enum Read: Equatable {
        case bytes(Int)
        case wait
        case end
        case cut
    }

    private enum Phase {
        case open
        case finished
        case left
    }

    private let bytesMaximum: Int
    private var phase = Phase.open
    /// The pieces as written: one event sent to thousands of clients stays one array in memory.
    private var pieces: [[UInt8]] = []
    private var firstPieceOffset = 0
    private(set) var bytesBuffered = 0
    private(set) var isReaderWaiting = false

    init(bytesMaximum: Int) {
        self.bytesMaximum = bytesMaximum
    }

    var hasReaderLeft: Bool { phase == .left }

    /// A piece larger than the limit is accepted alone, so that it does not wait forever.
    mutating func write(_ piece: [UInt8]) -> Written {
        switch phase {
        // Another task may have ended the stream.
        case .left, .finished: return .readerLeft
        case .open: break
        }
        guard !piece.isEmpty else { return .stored(wakesReader: false) }
        guard bytesBuffered == 0 || bytesBuffered + piece.count <= bytesMaximum else { return .full }
        pieces.append(piece)
        bytesBuffered += piece.count
        return .stored(wakesReader: wakeReader())
    }

    /// Ends the stream; true if the reader must be woken.
    mutating func finish() -> Bool {
        guard phase == .open else { return false }
        phase = .finished
        return wakeReader()
    }

    /// The reader has left; later writes are refused.
    mutating func leave() {
        phase = .left
        pieces = []
        bytesBuffered = 0
        isReaderWaiting = false
    }

    mutating func read(into target: UnsafeMutableRawBufferPointer) -> Read {
        guard phase != .left else { return .cut }
        guard bytesBuffered > 0 else {
            guard phase == .open else { return .end }
            isReaderWaiting = true
            return .wait
        }
        var count = 0
        var emptied = 0
        for piece in pieces {
            let part = min(piece.count - firstPieceOffset, target.count - count)
            piece.withUnsafeBytes { bytes in
                target[count...].copyBytes(from: bytes[firstPieceOffset..<firstPieceOffset + part])
            }
            count += part
            firstPieceOffset += part
            guard firstPieceOffset == piece.count else { break }
            firstPieceOffset = 0
            emptied += 1
        }
        // An idle stream holds no array.
        if emptied == pieces.count { pieces = [] } else { pieces.removeFirst(emptied) }
        bytesBuffered -= count
        return .bytes(count)
    }

    private mutating func wakeReader() -> Bool {
        defer { isReaderWaiting = false }
        return isReaderWaiting
    }
}
