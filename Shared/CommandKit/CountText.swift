/// Large numbers for people, with a comma between groups of three digits.
package enum CountText {
    package static func grouped(_ number: Int) -> String {
        let digits = Array(String(number.magnitude))
        let text = digits.enumerated().map { index, digit in
            index > 0 && (digits.count - index).isMultiple(of: 3) ? ",\(digit)" : "\(digit)"
        }.joined()
        return number < 0 ? "-\(text)" : text
    }

    /// `1 device`, `12,000 devices`.
    package static func of(_ number: Int, noun: String) -> String {
        number == 1 ? "1 \(noun)" : "\(grouped(number)) \(noun)s"
    }
}
