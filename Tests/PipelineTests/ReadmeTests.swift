import Glibc
import ServiceKit
import TestSupport
import Testing

/// The commands of the README, run as they are with the real services.
@Suite(.timeLimit(.minutes(10))) struct ReadmeTests {
    private let folder = TemporaryDirectory("readme")

    /// The section's first block starts the pipeline, the second uses it, the third gives it a key. Only the key differs,
    /// and the port, if 8080 is taken.
    @Test func useItEndsWellAsPasted() async throws {
        let page = try #require(SourceTree.text("README.md"))
        let section = try #require(page.split(separator: "\n## ").first { $0.hasPrefix("Use it\n") })
        let blocks = MarkdownCode.blocks("sh", inPage: String(section))
        try #require(blocks.count == 3)
        mkdir(folder.file(".build"), 0o755)
        let programs = builtExecutable("carillon").split(separator: "/", omittingEmptySubsequences: false).dropLast()
        symlink(programs.joined(separator: "/"), folder.file(".build/release"))

        let apple = try await PlayedApple(in: folder)
        let settings = apple.variables.map { "\($0.key)=\($0.value) " }.joined()
        let up = try ChildProcess.shell("exec env \(settings)\(blocks[0])", in: folder.path)
        let ready = await up.line(within: .hangLimit) { $0.contains("ready: http://") }
        let url = try #require(ready?.split(separator: " ").first { $0.hasPrefix("http://") }, "\(up.lines)")
        let use = blocks[1].replacing("http://127.0.0.1:8080", with: url.prefix { $0 != "," })
        let user = try ChildProcess.shell(use, in: folder.path)
        #expect(await user.end(within: .hangLimit) == .exited(0), "\(user.lines) \(up.lines.suffix(10))")
        #expect(user.lines.last == "closed: 1 targeted, delivered 1", "\(user.lines)")

        let key = blocks[2].replacing("AuthKey_ABC123DEFG.p8", with: try apple.value("key_file"))
            .replacing("DEF123GHIJ", with: try apple.value("team_id"))
        let owner = try ChildProcess.shell("export \(settings)\n\(key)", in: folder.path)
        #expect(await owner.end(within: .hangLimit) == .exited(0), "\(owner.lines)")
        #expect(owner.lines.contains("Apple accepts the key"), "\(owner.lines)")
        #expect(await up.line(within: .hangLimit) { $0.contains("an app has its own key for apns") } != nil)
        up.signal(SIGINT)
        #expect(await up.end(within: .hangLimit) == .exited(0), "\(up.lines)")
        await apple.end()
    }
}
