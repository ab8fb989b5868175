import CommandKit
import Glibc
import JSONKit
import PushModel
import ServiceKit

/// `carillon up --demo`: shows a push from registration to report on a running pipeline with the simulator, and
/// compares the report with the simulator's own count.
struct Demo: Sendable {
    /// 500 of each provider.
    static let devicesCount = 3_500
    /// Polls until a receipt is counted, which takes a fraction of a second.
    private static let receiptPolls = 100
    private static let receiptPause = Duration.milliseconds(100)

    private let announcement: UpAnnouncement
    private let simulator: SimulatorClient
    private let http: LocalHTTP
    private let key: Secret
    private let terminal: any Terminal
    private let program: String
    private let place: String

    /// Runs the demonstration; returns true if report and simulator agree.
    static func run(_ announcement: UpAnnouncement, in context: CommandContext, place: String) async throws -> Bool {
        guard let facts = announcement.simulator, let app = announcement.app else {
            throw UpError("--demo needs --simulator")
        }
        let http = LocalHTTP()
        let demo = Demo(
            announcement: announcement, simulator: SimulatorClient(admin: facts.admin, http: http), http: http,
            key: try LocalKeyFile.read(app.keyFile), terminal: context.terminal,
            program: context.program, place: place)
        do {
            let agrees = try await demo.show(app, on: facts)
            await http.close()
            return agrees
        } catch {
            await http.close()
            throw error
        }
    }

    private func show(_ app: UpAnnouncement.App, on facts: SimulatorFacts) async throws -> Bool {
        let ids = try await register(facts)
        let first = try await postRichie(app)
        let isFirstRight = try await follow(first, on: RichieSample.platforms)
        let second = try await postLocalized()
        let isSecondRight = try await follow(second, on: Set(Platform.allCases))
        try await showPushes()
        try await reportOpened(second.id, devices: ids)
        sayNext(app, task: first.id)
        return isFirstRight && isSecondRight
    }

    private var devices: [DemoDevice] { (0..<Demo.devicesCount).map { DemoDevice(number: $0) } }
    private var deadCount: Int { devices.count { $0.isDead } }

    /// Returns the ids by token.
    private func register(_ facts: SimulatorFacts) async throws -> [String: String] {
        terminal.print("\nregistering \(Demo.devicesCount) devices, \(deadCount) of them with dead tokens")
        let registration = DemoRegistration(
            url: announcement.url, key: key, http: http, simulator: simulator, endpoints: facts.endpoints)
        return try await registration.register(devices)
    }

    private struct Posted {
        let id: String
        /// Pushes accepted before it, by provider.
        let accepted: [String: Int]
    }

    /// With curl, as a publisher would try it.
    private func postRichie(_ app: UpAnnouncement.App) async throws -> Posted {
        let accepted = try await simulator.accepted()
        let file = "\(announcement.folder.path)/richie-task.json"
        try PrivateFile.write(RichieSample.body(app: app.name), to: file)
        let url = "\(announcement.url)/push/v2/admin/task"
        let line = CurlLine(
            keyFile: app.keyFile,
            ["-sS", "--fail-with-body", "-H", "Content-Type: application/json", "--data", "@\(file)", url])
        terminal.print("\nposting the example of Richie's documentation:\n\n  \(line.text)\n")
        let (answer, isDone) = try await line.run()
        guard isDone, let id = (try? JSON(answer))?["task_id"]?.text else {
            throw UpError("the example was rejected: \(answer)")
        }
        terminal.print("  \(answer)")
        return Posted(id: id, accepted: accepted)
    }

    private func postLocalized() async throws -> Posted {
        let accepted = try await simulator.accepted()
        terminal.print("\nposting a task in four languages to /v1/tasks:\n\n\(LocalizedSample.body)")
        let answer = try await http.post(
            "\(announcement.url)/v1/tasks", body: LocalizedSample.body, type: "application/json", key: key)
        guard let id = answer["id"]?.text else { throw UpError("the API response contains no task id") }
        return Posted(id: id, accepted: accepted)
    }

    private func follow(_ posted: Posted, on platforms: Set<Platform>) async throws -> Bool {
        terminal.print("\ntask \(posted.id)")
        let access = APIAccess(url: announcement.url, key: key)
        let status = try await TaskAPI.with(access) { api in
            _ = try await Watcher(api, terminal: terminal, isJSON: false).watch(posted.id)
            return try await api.status(of: posted.id)
        }
        let accepted = try await simulator.accepted().merging(posted.accepted) { $0 - $1 }
        let verdict = DemoVerdict(status, accepted: accepted, living: living(on: platforms))
        for line in verdict.lines { terminal.print(line) }
        return verdict.agrees
    }

    /// Devices with valid tokens, by provider.
    private func living(on platforms: Set<Platform>) -> [String: Int] {
        let living = devices.filter { !$0.isDead && platforms.contains($0.platform) }
        return Dictionary(grouping: living, by: \.provider.name).mapValues(\.count)
    }

    /// The newest push of each provider and language, found by its title. A push over HTTP has all languages.
    private func showPushes() async throws {
        for provider in SimulatorClient.providers {
            let pushes = try await simulator.lastPushes(provider).map { ShownPush($0).text }
            var shown: Set<String> = []
            for (language, title) in LocalizedSample.titles.sorted(by: { $0.key < $1.key }) {
                guard let push = pushes.first(where: { $0.contains(title) }), shown.insert(push).inserted else {
                    continue
                }
                terminal.print("\n\(provider), \(language):\n  \(push)")
            }
        }
    }

    /// Does what an app does when its user opens the push, and shows that it is counted.
    private func reportOpened(_ task: String, devices ids: [String: String]) async throws {
        let receipts = try await simulator.lastPushes("fcm").compactMap { DemoReceipt($0, task: task, devices: ids) }
        guard let receipt = receipts.first else { throw UpError("no push of task \(task) has a proof for a receipt") }
        terminal.print("\nthe app on device \(receipt.device) reports its push as opened:\n\n  \(receipt.body)\n")
        _ = try await http.post(
            "\(announcement.url)/v1/receipts", body: receipt.body, type: "application/json", key: key)
        let counted = try await TaskAPI.with(APIAccess(url: announcement.url, key: key)) { api in
            for _ in 0..<Demo.receiptPolls {
                if let text = try await api.status(of: task).receiptsText { return text }
                try await Task.sleep(for: Demo.receiptPause)
            }
            throw UpError("the receipt was not counted")
        }
        terminal.print("task \(task)\n\(counted)")
    }

    /// Commands that make the pipeline send through a provider itself; the others are still simulated.
    static func commandsForARealKey(_ program: String, place: String) -> [String] {
        [
            "apps connect apns --key-file AuthKey_ABC123DEFG.p8 --team-id DEF123GHIJ --topic com.example.news",
            "apps connect fcm --service-account account.json",
        ].map { "\(program) \($0)\(place)" }
    }

    private func sayNext(_ app: UpAnnouncement.App, task: String) {
        let program = ShellWord.quoted(program)
        let connecting = Demo.commandsForARealKey(program, place: place).map { "  \($0)" }.joined(separator: "\n")
        terminal.print(
            """

            the API is at \(announcement.url) (openapi at /openapi.yaml), the simulator's counts at \
            \(announcement.simulator?.admin ?? "")/stats. Try:

              \(program) push --topic sports --title Goal --body '2:1' --watch\(place)
              \(program) tasks\(place)
              \(program) tasks show \(task)\(place)
              \(program) stats --by platform\(place)
              \(CurlLine(keyFile: app.keyFile, ["\(announcement.url)/v1/tasks/\(task)/report"]).text)

            and, with your own key from Apple or Google instead of the simulator:

            \(connecting)

            """)
    }
}
