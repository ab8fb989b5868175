import ServiceKit

/// The bytes of a text whose escapes were replaced, since an escape can be a combining mark. It is looked at in pieces and
/// forgotten: the text may be as long as the document.
struct UnescapedText {
    private static let pieceBytes = 4_096
    /// More than the bytes of the most marks there may be in a row: what a piece ends with is looked at again with the next.
    private static let overlapBytes = 4 * (OutsideText.combiningMarksMaximum + 2)

    private(set) var count = 0
    private var piece: [UInt8] = []
    private var wasStreamSafe = true

    mutating func append(_ byte: UInt8) {
        count += 1
        piece.append(byte)
        if piece.count == UnescapedText.pieceBytes {
            lookAtPiece()
            piece.removeFirst(piece.count - UnescapedText.overlapBytes)
        }
    }

    /// Of everything that was appended.
    mutating func isStreamSafe() -> Bool {
        lookAtPiece()
        return wasStreamSafe
    }

    private mutating func lookAtPiece() {
        wasStreamSafe = wasStreamSafe && piece.withUnsafeBytes { OutsideText.isStreamSafe($0) }
    }
}
