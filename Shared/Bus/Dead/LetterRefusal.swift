/// Why a letter cannot be replayed.
package enum LetterRefusal: Error {
    case notALetter
    case withoutValue
    /// The topic as the letter names it, text from outside.
    case unknownTopic(String)
}

extension LetterRefusal {
    /// `shown` makes the name of a topic fit to be shown.
    package func reason(shown: (String) -> String) -> String {
        switch self {
        case .notALetter: "it is not a dead letter"
        case .withoutValue: "it was too large and is stored without its value"
        case .unknownTopic(let name): "unknown topic \(shown(name))"
        }
    }
}
