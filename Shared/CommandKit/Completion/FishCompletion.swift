/// The completion script for fish, which shows the descriptions of the help.
struct FishCompletion {
    private let words: CompletionWords

    init(_ words: CompletionWords) {
        self.words = words
    }

    var text: String {
        let name = words.program
        let first = words.first.map { line("__\(name)_has 1", arguments: "-a \($0.text)", meaning: $0.purpose) }
        let second = words.groups.flatMap { group in
            group.second.flatMap { word in
                [
                    line(
                        "__\(name)_has 2; and __\(name)_uses \(group.word)", arguments: "-a \(word.text)",
                        meaning: word.purpose),
                    line(
                        "__\(name)_has 3; and __\(name)_uses help \(group.word)", arguments: "-a \(word.text)",
                        meaning: word.purpose),
                ]
            }
        }
        let topics = (words.first + words.helpTopics).map {
            line("__\(name)_has 2; and __\(name)_uses help", arguments: "-a \($0.text)", meaning: $0.purpose)
        }
        return """
            # fish completion for \(name). Load it with: \(name) completion fish | source

            # True if this many words precede the cursor, including the program.
            function __\(name)_has
                test (count (commandline -opc)) -eq $argv[1]
            end

            # True if the words after the program begin with these.
            function __\(name)_uses
                set -l words (commandline -opc)
                set -e words[1]
                for index in (seq (count $argv))
                    test "$words[$index]" = "$argv[$index]"; or return 1
                end
            end

            complete -c \(name) -f
            complete -c \(name) -n '__\(name)_has 1' -l help -d 'Show the commands'
            complete -c \(name) -n '__\(name)_has 1' -l version -d 'Show the version'
            \((first + topics + second + words.entries.flatMap(lines)).joined(separator: "\n"))
            """
    }

    private func lines(of entry: CompletionWords.Entry) -> [String] {
        var condition = "__\(words.program)_uses \(entry.name)"
        let others = entry.path.count == 1 ? words.words(after: entry.path[0]).map(\.text) : []
        if !others.isEmpty { condition += "; and not __fish_seen_subcommand_from \(others.joined(separator: " "))" }
        let options = entry.options.map { option in
            line(
                condition, arguments: "-l \(option.name.dropFirst(2))" + FishCompletion.value(option),
                meaning: option.meaning)
        }
        guard case .choice(let choices) = entry.operands.map(CompletionValue.init) else { return options }
        return options + choices.map { line(condition, arguments: "-a \($0)", meaning: "") }
    }

    private static func value(_ option: CommandOption) -> String {
        switch option.placeholder.map(CompletionValue.init) {
        case nil: ""
        case .file: " -r -F"
        case .folder: " -x -a '(__fish_complete_directories)'"
        case .choice(let choices): " -x -a '\(choices.joined(separator: " "))'"
        case .unknown: " -x"
        }
    }

    private func line(_ condition: String, arguments: String, meaning: String) -> String {
        let description = meaning.isEmpty ? "" : " -d \(FishCompletion.quoted(meaning))"
        return "complete -c \(words.program) -n '\(condition)' \(arguments)\(description)"
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.map { $0 == "'" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined() + "'"
    }
}
