/// The completion script for zsh, which shows the descriptions of the help.
struct ZshCompletion {
    private let words: CompletionWords

    init(_ words: CompletionWords) {
        self.words = words
    }

    var text: String {
        let name = words.program
        let topics = words.first + words.helpTopics
        return """
            #compdef \(name)
            # zsh completion for \(name). Load it after compinit with: source <(\(name) completion zsh)

            _\(name)_second() {
                case $1 in
            \(groups)
                    *) reply=() ;;
                esac
            }

            _\(name)() {
                local -a first topics reply
                local command=$words[2]
                integer count=1
                first=(
            \(ZshCompletion.list(words.first, indent: 8))
                )
                topics=(
            \(ZshCompletion.list(topics, indent: 8))
                )
                if (( CURRENT == 2 )); then
                    _describe -t commands command first
                    return
                fi
                if [[ $command == help ]]; then
                    _\(name)_second $words[3]
                    if (( CURRENT == 3 )); then
                        _describe -t commands command topics
                    elif (( CURRENT == 4 )); then
                        _describe -t commands command reply
                    fi
                    return
                fi
                _\(name)_second $command
                if (( CURRENT == 3 && $#reply )) && [[ $words[3] != -* ]]; then
                    _describe -t commands command reply
                    return
                fi
                if (( CURRENT > 3 && ${reply[(I)${words[3]}:*]} )); then
                    command+=" $words[3]"
                    count=2
                fi
                shift $count words
                (( CURRENT -= count ))
                case $command in
            \(words.entries.map(ZshCompletion.text).joined(separator: "\n"))
                esac
            }

            # As a file of $fpath it is run as a function; otherwise it registers itself.
            if [[ $funcstack[1] == _\(name) ]]; then
                _\(name) "$@"
            else
                compdef _\(name) \(name)
            fi
            """
    }

    private var groups: String {
        words.groups.map { group in
            """
                    \(group.word))
                        reply=(
            \(ZshCompletion.list(group.second, indent: 16))
                        )
                        ;;
            """
        }.joined(separator: "\n")
    }

    /// The call of `_arguments` for one command.
    private static func text(of entry: CompletionWords.Entry) -> String {
        let options = entry.options.map { "                \(quoted(specification($0)))" }
        let operands = entry.operands.map { ["                \(quoted("*:\(escaped($0)):\(action($0))"))"] } ?? []
        return """
                    '\(entry.name)')
                        _arguments \\
            \((options + operands).joined(separator: " \\\n"))
                        ;;
            """
    }

    private static func specification(_ option: CommandOption) -> String {
        let repetition = option.isRepeatable ? "*" : ""
        let meaning = "[\(escaped(option.meaning))]"
        guard let placeholder = option.placeholder else { return repetition + option.name + meaning }
        return "\(repetition)\(option.name)=\(meaning):\(escaped(placeholder)):\(action(placeholder))"
    }

    private static func action(_ placeholder: String) -> String {
        switch CompletionValue(placeholder) {
        case .file: "_files"
        case .folder: "_files -/"
        case .choice(let choices): "(\(choices.joined(separator: " ")))"
        case .unknown: " "
        }
    }

    private static func list(_ words: [CompletionWords.Word], indent: Int) -> String {
        words.map { String(repeating: " ", count: indent) + quoted("\($0.text):\($0.purpose)") }
            .joined(separator: "\n")
    }

    /// For descriptions and messages of `_arguments`, in which brackets and colons are syntax.
    private static func escaped(_ text: String) -> String {
        text.map { "\\[]:".contains($0) ? "\\\($0)" : "\($0)" }.joined()
    }

    private static func quoted(_ text: String) -> String {
        "'" + text.map { $0 == "'" ? "'\\''" : "\($0)" }.joined() + "'"
    }
}
