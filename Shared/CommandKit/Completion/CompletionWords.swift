/// The words that a shell completes, of one program.
struct CompletionWords {
    struct Word {
        let text: String
        let purpose: String
    }

    struct Entry {
        /// One or two words, such as `topics create`.
        let path: [String]
        let options: [CommandOption]
        let operands: String?

        var name: String { path.joined(separator: " ") }
    }

    /// The program's name, without spaces.
    let program: String
    let entries: [Entry]
    /// The words after the program's name.
    let first: [Word]
    /// The words after `help` that are not commands.
    let helpTopics = [
        Word(text: "environment", purpose: "show the environment variables"),
        Word(text: "man", purpose: "print a manual page"),
    ]
    private let second: [String: [Word]]

    init(_ tree: CommandTree) {
        program = tree.name
        let declarations = tree.declarations
        entries = declarations.map { declaration in
            Entry(
                path: declaration.path, options: declaration.options + [.help], operands: declaration.operands)
        }
        let seconds = declarations.filter { $0.path.count > 1 }
        second = Dictionary(grouping: seconds) { $0.path[0] }.mapValues { group in
            group.map { Word(text: $0.path[1], purpose: $0.purpose) }
        }
        var first: [Word] = []
        for declaration in declarations where !first.contains(where: { $0.text == declaration.path[0] }) {
            let own = declarations.first { $0.path == [declaration.path[0]] }
            let names = seconds.filter { $0.path[0] == declaration.path[0] }.map { $0.path[1] }
            first.append(
                Word(text: declaration.path[0], purpose: own?.purpose ?? names.joined(separator: ", ")))
        }
        first += tree.programs.map { Word(text: $0.word, purpose: $0.purpose) }
        self.first = first + [Word(text: "help", purpose: "show the commands, or the options of one")]
    }

    /// First words that have second ones, in the order of the commands.
    var groups: [(word: String, second: [Word])] {
        first.compactMap { word in second[word.text].map { (word.text, $0) } }
    }

    /// The words that may follow this one.
    func words(after first: String) -> [Word] {
        second[first] ?? []
    }
}

/// How a shell completes the value of an option or an operand.
enum CompletionValue: Equatable {
    case file
    case folder
    case choice([String])
    /// Only the user knows it.
    case unknown

    /// `placeholder` is that of the help.
    init(_ placeholder: String) {
        switch placeholder {
        case "FILE": self = .file
        case "FOLDER": self = .folder
        default:
            let choices = placeholder.split(separator: "|").map(String.init)
            self = choices.count > 1 ? .choice(choices) : .unknown
        }
    }
}
