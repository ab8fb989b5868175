/// The completion script for bash, version 4 or later.
struct BashCompletion {
    private let words: CompletionWords

    init(_ words: CompletionWords) {
        self.words = words
    }

    var text: String {
        let name = words.program
        let first = BashCompletion.list(words.first.map(\.text) + ["--help", "--version"])
        let topics = BashCompletion.list(words.first.map(\.text) + words.helpTopics.map(\.text))
        return """
            # bash completion for \(name). Load it with: source <(\(name) completion bash)

            _\(name)_second() {
                case $1 in
            \(groups)
                esac
            }

            _\(name)_words() {
                mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current")
            }

            _\(name)_paths() {
                compopt -o filenames 2>/dev/null
                mapfile -t COMPREPLY < <(compgen "$1" -- "$current")
            }

            _\(name)() {
                local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
                local command second options='' values='' files='' folders='' operands=''
                COMPREPLY=()
                # Bash splits words at equals signs.
                if [[ $current == '=' ]]; then
                    current=''
                elif [[ $previous == '=' ]]; then
                    previous=${COMP_WORDS[COMP_CWORD - 2]}
                fi
                if ((COMP_CWORD == 1)); then
                    _\(name)_words \(first)
                    return
                fi
                command=${COMP_WORDS[1]}
                if [[ $command == help ]]; then
                    case $COMP_CWORD in
                        2) _\(name)_words \(topics) ;;
                        3) _\(name)_words "$(_\(name)_second "${COMP_WORDS[2]}")" ;;
                    esac
                    return
                fi
                second=$(_\(name)_second "$command")
                if ((COMP_CWORD > 2)); then
                    if [[ " $second " == *" ${COMP_WORDS[2]} "* ]]; then
                        command+=" ${COMP_WORDS[2]}"
                    fi
                    second=''
                fi
                case $command in
            \(words.entries.map(BashCompletion.text).joined(separator: "\n"))
                esac
                if [[ " $files " == *" $previous "* ]]; then
                    _\(name)_paths -f
                elif [[ " $folders " == *" $previous "* ]]; then
                    _\(name)_paths -d
                elif [[ " $values " == *" $previous "* ]]; then
                    return
                elif [[ $current == -* ]]; then
                    _\(name)_words "$options"
                else
                    _\(name)_words "$second $operands"
                fi
            }

            complete -F _\(name) \(name)
            """
    }

    private var groups: String {
        words.groups.map { group in
            "        \(group.word)) echo \(BashCompletion.list(group.second.map(\.text))) ;;"
        }.joined(separator: "\n")
    }

    /// Sets the variables of one command.
    private static func text(of entry: CompletionWords.Entry) -> String {
        func names(_ value: CompletionValue) -> [String] {
            entry.options.filter { $0.placeholder.map(CompletionValue.init) == value }.map(\.name)
        }
        var operands: [String] = []
        if case .choice(let choices) = entry.operands.map(CompletionValue.init) { operands = choices }
        let settings = [
            ("options", entry.options.map(\.name)), ("values", names(.unknown)), ("files", names(.file)),
            ("folders", names(.folder)), ("operands", operands),
        ]
        let lines = settings.filter { !$0.1.isEmpty }.map { "                \($0.0)=\(list($0.1))\n" }
        return "        '\(entry.name)')\n\(lines.joined())                ;;"
    }

    /// Names of commands and options need no escapes.
    private static func list(_ words: [String]) -> String {
        "'\(words.joined(separator: " "))'"
    }
}
