/// A style of text on a terminal.
package enum TextStyle: Sendable {
    case bold
    case dim
    case red
    case yellow
    case green

    /// Parameter of the escape sequence "select graphic rendition".
    fileprivate var code: Int {
        switch self {
        case .bold: 1
        case .dim: 2
        case .red: 31
        case .yellow: 33
        case .green: 32
        }
    }
}

/// Applies styles to text for one output, or leaves the text as it is.
package struct Styling: Sendable, Equatable {
    package static let off = Styling(isOn: false)

    package let isOn: Bool

    package init(isOn: Bool) {
        self.isOn = isOn
    }

    /// Off for pipes and files, if NO_COLOR has a value (no-color.org), and on terminals without styles.
    package init(isTerminal: Bool, variables: [String: String]) {
        let isRefused = variables["NO_COLOR"].map { !$0.isEmpty } ?? false
        isOn = isTerminal && !isRefused && variables["TERM"] != "dumb"
    }

    package func apply(_ style: TextStyle?, to text: String) -> String {
        guard isOn, let style, !text.isEmpty else { return text }
        return "\u{1B}[\(style.code)m\(text)\u{1B}[0m"
    }
}
