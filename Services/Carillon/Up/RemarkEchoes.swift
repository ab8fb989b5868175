import ServiceKit

/// Recognizes remarks about a mistake that has just been shown, so that it is shown once and not by every service.
struct RemarkEchoes {
    enum Verdict: Equatable {
        case new
        /// `isFirst` for the first remark of another program.
        case echo(isFirst: Bool)
    }

    /// After this time a mistake is shown again.
    static let span = Duration.seconds(30)
    /// More mistakes at once replace the oldest.
    static let mistakesMaximum = 64

    fileprivate struct Mistake {
        let subject: String
        let address: String?
        let program: String
        let start: Duration
        var others: [String] = []
    }

    private var mistakes: [Mistake] = []

    mutating func judge(_ remark: LogRemark, of program: String, at uptime: Duration) -> Verdict {
        mistakes.removeAll { uptime - $0.start >= RemarkEchoes.span }
        guard let index = mistakes.firstIndex(where: { $0.isCause(of: remark) }) else {
            if mistakes.count == RemarkEchoes.mistakesMaximum { mistakes.removeFirst() }
            mistakes.append(
                Mistake(subject: remark.subject, address: remark.address, program: program, start: uptime))
            return .new
        }
        let isOther = mistakes[index].program != program
        let isFirst = isOther && mistakes[index].others.isEmpty
        if isOther, !mistakes[index].others.contains(program) { mistakes[index].others.append(program) }
        return .echo(isFirst: isFirst)
    }

    /// The programs that made the same remark after the first; empty once it is forgotten.
    func others(of remark: LogRemark) -> [String] {
        mistakes.first { $0.isCause(of: remark) }?.others ?? []
    }

    /// `renderer, reporter and 4 other services`
    static func text(_ programs: [String]) -> String {
        guard programs.count > 3 else { return programs.joined(separator: ", ") }
        return "\(programs[0]), \(programs[1]) and \(programs.count - 2) other services"
    }
}

extension RemarkEchoes.Mistake {
    /// Errors about an address that is known to be unreachable contain the address.
    fileprivate func isCause(of remark: LogRemark) -> Bool {
        if remark.subject == subject { return true }
        guard let address else { return false }
        return remark.text.contains(address)
    }
}
