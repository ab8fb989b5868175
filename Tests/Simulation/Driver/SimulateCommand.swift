import Glibc
import HistoryJudge
import ServiceKit

/// `carillon-simulate`: runs histories, and prints those that break a rule.
enum SimulateCommand {
    private static let violationsPrinted = 20
    /// Results are printed in the order of the seeds.
    private static let printedAtOnce = 64

    static func run(_ arguments: [String]) -> Int32 {
        let options: SimulateOptions
        do {
            options = try SimulateOptions(arguments)
        } catch {
            print("carillon-simulate: \(error.text)")
            return 64
        }
        guard !options.printsHelp else {
            print(SimulateOptions.usage)
            return 0
        }
        DeterministicHashing.require()
        return options.bugs.isEmpty ? runHistories(options) : huntBugs(options)
    }

    private static func runHistories(_ options: SimulateOptions) -> Int32 {
        let begin = seconds()
        let seeds = Array(options.seed..<(options.seed + UInt64(options.histories)))
        var failures = 0
        for part in stride(from: 0, to: seeds.count, by: printedAtOnce) {
            let outcomes = Parallel.map(Array(seeds[part..<min(part + printedAtOnce, seeds.count)])) { seed in
                Outcome(History(seed: seed, minutes: options.minutes), keepsTrace: options.printsTrace)
            }
            for outcome in outcomes { report(outcome, options: options) }
            failures += outcomes.count { !$0.violations.isEmpty }
            fflush(nil)
        }
        let duration = seconds() - begin
        let rate = Double(options.histories) / max(duration, 0.001)
        print("histories \(options.histories), seconds \(text(duration)), rate \(text(rate))/s, failures \(failures)")
        return failures == 0 ? 0 : 1
    }

    private struct Outcome {
        let history: History
        let violations: [Violation]
        let lines: [String]
        let digest: UInt64
        let steps: Int

        init(_ history: History, keepsTrace: Bool) {
            let run = HistoryRun(history, keepsTrace: keepsTrace)
            self.history = history
            violations = run.violations()
            lines = run.world.trace.lines
            digest = run.world.trace.digest
            steps = run.world.loop.steps
        }
    }

    private static func report(_ outcome: Outcome, options: SimulateOptions) {
        let seed = outcome.history.seed
        for line in outcome.lines { print(line) }
        if options.printsDigest { print("seed \(seed): \(outcome.digest.hexadecimal), \(outcome.steps) steps") }
        guard !outcome.violations.isEmpty else { return }
        print("seed \(seed) broke a rule:")
        for violation in outcome.violations.prefix(violationsPrinted) { print("  \(violation)") }
        printShrunk(outcome.history)
        print("replay: carillon-simulate --seed \(seed) --minutes \(options.minutes) --trace")
    }

    private static func printShrunk(_ history: History) {
        let shrunk = history.shrunk()
        print("with these of \(history.events.count) events:")
        for event in shrunk.events { print("  \(event)") }
        for number in shrunk.posted.sorted() { print("  task \(number): \(history.orders[number])") }
        for plan in shrunk.activities where shrunk.events.contains(where: { $0.isOf(plan) }) {
            print("  activity \(plan.number): \(plan)")
        }
        for (number, plan) in shrunk.subscribers.enumerated()
        where shrunk.events.contains(where: { $0.isOfSubscriber(number) }) {
            print("  subscriber \(number): \(plan)")
        }
        print("  app: \(history.app)")
    }

    private static func huntBugs(_ options: SimulateOptions) -> Int32 {
        let found = Parallel.map(options.bugs) { bug in
            BugHunt.firstCatch(of: bug, from: options.seed, histories: options.histories, minutes: options.minutes)
        }
        print("| mistake | found by seed | broken rule |\n|---|---|---|")
        for (bug, found) in zip(options.bugs, found) {
            let seed = found.map { "\($0.history.seed)" } ?? "none of \(options.histories)"
            print("| `\(bug.rawValue)` | \(seed) | \(found?.violation.rule.rawValue ?? "") |")
        }
        return found.contains { $0 == nil } ? 1 : 0
    }

    private static func seconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func text(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
