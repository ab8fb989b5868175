import JSONKit
import PushModel
import ServiceKit
import TaskModel
import Testing

@Suite struct DeliveryWindowTests {
    private static let opens = Timestamp(milliseconds: 1_770_000_000_000)

    private func window(_ length: Duration, _ method: DeliveryWindow.Method = .contextAware) throws -> DeliveryWindow {
        DeliveryWindow(
            from: Self.opens, to: Self.opens + length, user: try Alias(.externalUser, value: "ada"), method: method)
    }

    /// A twelfth of the window, five minutes at most, remains for the last attempt.
    @Test(arguments: [(60, 55), (600, 550), (3_600, 3_300), (86_400, 86_100), (0, 0)])
    func theLatestReleaseLeavesTimeToSend(_ length: Int, release: Int) throws {
        let window = try window(.seconds(length))
        #expect(window.latestRelease == Self.opens + .seconds(release))
        #expect(try self.window(.seconds(length), .traditional).latestRelease == Self.opens)
    }

    /// Method: moments of ten seconds around a window of a minute.
    @Test(arguments: [(-10, nil), (-9, 0), (0, 0), (30, 30), (59, 59), (60, nil), (90, nil)])
    func aMomentReleasesWhileTheWindowIsOpen(_ start: Int, release: Int?) throws {
        let now = Self.opens + .seconds(start)
        let expected = release.map { Self.opens + .seconds($0) }
        #expect(try window(.seconds(60)).release(inMomentFrom: now, until: now + .seconds(10)) == expected)
        #expect(try window(.seconds(60), .traditional).release(inMomentFrom: now, until: now + .seconds(10)) == nil)
    }

    @Test func anEndBeforeTheBeginningIsAnEmptyWindow() throws {
        let window = try window(.seconds(-5))
        #expect(window.ends == window.opens && window.latestRelease == window.opens)
    }

    @Test(arguments: [#"{"opens":7}"#, #"{"opens":"2026-03-02T05:00:00Z","ends":"x","user":"a","method":"b"}"#])
    func aMalformedWindowIsReported(_ text: String) throws {
        let problems = JSONProblems()
        #expect(DeliveryWindow(JSONFields(try JSON(Array(text.utf8)), problems: problems)) == nil)
        #expect(!problems.all.isEmpty)
    }
}
