import ServiceKit

/// The bytes of a string with its escapes replaced, since an escape can be a combining mark. It is checked and
/// discarded in pieces: the string may be as long as the document.
struct UnescapedText {
    private static let pieceBytes = 4_096
    /// More than the bytes of the longest allowed row of marks: the end of a piece is checked again with the next one.
    private static let overlapBytes = 4 * (OutsideText.combiningMarksMaximum + 2)

    private(set) var count = 0
    private var piece: [UInt8] = []
    private var wasStreamSafe = true

    mutating func append(_ byte: UInt8) {
        count += 1
        piece.append(byte)
        if piece.count == UnescapedText.pieceBytes {
            checkPiece()
            piece.removeFirst(piece.count - UnescapedText.overlapBytes)
        }
    }

    /// The result for all appended bytes.
    mutating func isStreamSafe() -> Bool {
        checkPiece()
        return wasStreamSafe
    }

    private mutating func checkPiece() {
        wasStreamSafe = wasStreamSafe && piece.withUnsafeBytes { OutsideText.isStreamSafe($0) }
    }
}
