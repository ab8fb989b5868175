import PushModel
import ServiceKit
import TestSupport
import Testing

@Suite struct DeviceFilterTests {
    private static let now = Timestamp(milliseconds: 1_800_000_000_000)

    private func device(_ change: (inout Device) -> Void = { _ in }) throws -> Device {
        var device = Device(
            tag: 1, token: try PushToken(.apns, text: String(repeating: "ab", count: 32)), created: 1_790_000_000)
        device.updated = 1_799_999_000
        change(&device)
        return device
    }

    private func matches(_ filter: DeviceFilter, _ device: Device) throws -> Bool {
        let glance = try #require(DeviceGlance(packed: device.packed[...]))
        return filter.matches(glance, at: DeviceFilterTests.now)
    }

    @Test(arguments: [
        ("fr", true), ("FR", true), ("fr_CA", true), ("fr-CA", true), ("frr", false), ("f", false), ("de", false),
        ("", false),
    ])
    func aLanguageContainsItsRegions(language: String, isMatch: Bool) throws {
        let filter = DeviceFilter.language(try LanguageRange("fr"))
        #expect(try matches(filter, device { $0.language = language }) == isMatch)
        #expect(try !matches(filter, device()))
    }

    @Test func aRegionIsNoOther() throws {
        let filter = DeviceFilter.language(try LanguageRange("pt-br"))
        for (language, isMatch) in [("pt_BR", true), ("pt-BR-x", true), ("pt", false), ("pt_PT", false)] {
            #expect(try matches(filter, device { $0.language = language }) == isMatch, "\(language)")
        }
        #expect(try LanguageRange("pt_BR") == LanguageRange("PT-br"))
        for text in ["", "f", "fr!", String(repeating: "a", count: 36)] {
            #expect(throws: InvalidValueError.self, "\(text)") { try LanguageRange(text) }
        }
    }

    @Test(arguments: [
        ("2.1", true), ("2.1.0", true), ("2.10", true), ("2.9.9.9", true), ("2.1-beta", true), ("2.0.9", false),
        ("3", false), ("3.0-rc1", false), ("", false), ("v2.5", false), ("99999999999", false),
    ])
    func aVersionIsInItsRange(version: String, isMatch: Bool) throws {
        let range = try AppVersionRange(from: AppVersion("2.1".utf8), below: AppVersion("3".utf8))
        #expect(try matches(.appVersion(range), device { $0.appVersion = version }) == isMatch)
        #expect(try !matches(.appVersion(range), device { $0.version = version }), "that is the system's")
    }

    @Test func versionsAreComparedNumberByNumber() throws {
        let texts = ["0", "1", "1.0.0.1", "1.2", "1.9", "1.10", "1.10.0.2", "2", "10", "4294967295"]
        let versions = try texts.map { try #require(AppVersion($0.utf8)) }
        #expect(versions == versions.shuffled().sorted())
        #expect(versions.map(\.description) == texts)
        #expect(AppVersion("1.2.0".utf8) == AppVersion("1.2".utf8))
        #expect(AppVersion("1..2".utf8) == AppVersion("1".utf8))
        #expect(AppVersion(".5".utf8) == nil)
        #expect(AppVersion("1.2.3.4.5".utf8) == AppVersion("1.2.3.4".utf8))
        #expect(throws: InvalidValueError.self) { try AppVersionRange(from: versions[3], below: versions[2]) }
        #expect(throws: InvalidValueError.self) { try AppVersionRange(from: nil, below: nil) }
    }

    @Test func timesAreWithinTheirRange() throws {
        func range(_ age: Int) throws -> TimeRange { try TimeRange(since: .ago(.seconds(age)), before: nil) }
        let device = try device()
        #expect(try matches(.seen(range(1_000)), device))
        #expect(try !matches(.seen(range(999)), device))
        #expect(try !matches(.registered(range(1_000)), device))
        let created = Timestamp(milliseconds: 1_790_000_000_000)
        let later = created + .seconds(1)
        #expect(try matches(.registered(TimeRange(since: .time(created), before: later)), device))
        #expect(try !matches(.registered(TimeRange(since: .time(later), before: nil)), device))
        #expect(try !matches(.registered(TimeRange(since: nil, before: created)), device))
        #expect(throws: InvalidValueError.self) { try TimeRange(since: .time(later), before: created) }
        #expect(throws: InvalidValueError.self) { try TimeRange(since: nil, before: nil) }
    }

    @Test func aTimeZoneMatchesByItsStart() throws {
        let (all, one) = (try TimeZonePattern("Europe/*"), try TimeZonePattern("Europe/Rome"))
        for (zone, isInAll, isInOne) in [
            ("Europe/Rome", true, true), ("Europe/Rom", true, false), ("Europe", false, false),
            ("America/Lima", false, false),
        ] {
            let device = try device { $0.timeZone = zone }
            #expect(try matches(.timeZone(all), device) == isInAll, "\(zone)")
            #expect(try matches(.timeZone(one), device) == isInOne, "\(zone)")
        }
        #expect(try !matches(.timeZone(TimeZonePattern("*")), device()), "a device without a zone")
        for text in ["", "*/x", "Euro pe", String(repeating: "z", count: 65)] {
            #expect(throws: InvalidValueError.self, "\(text)") { try TimeZonePattern(text) }
        }
    }

    @Test func platformAndUserAreRead() throws {
        let ofUser = try device { $0.aliases = [.externalUser: "u", .hardware: "h"] }
        let nameless = try device { $0.aliases = [.hardware: "h"] }
        #expect(try matches(.user(true), ofUser) && !matches(.user(false), ofUser))
        #expect(try matches(.user(false), nameless) && !matches(.user(true), nameless))
        #expect(try matches(.platform(.ios), ofUser) && !matches(.platform(.android), ofUser))
    }
}
