import Bus
import CommandKit

extension DeadPosition {
    static func all(in operands: [String]) throws(UsageError) -> [DeadPosition] {
        var positions: [DeadPosition] = []
        for text in operands {
            guard let position = DeadPosition(text) else {
                throw UsageError("\"\(text)\" is not PARTITION:OFFSET, such as 0:17; see carillon dead list")
            }
            positions.append(position)
        }
        return positions
    }
}
