import Glibc
import ServiceKit
import TestSupport
import Testing

@testable import LocalTime

@Suite struct TimeZoneCatalogTests {
    private let folder = TemporaryDirectory("zones")
    private var zones: String { folder.file("zones") }

    init() throws {
        #expect(mkdir(zones, 0o755) == 0)
        #expect(mkdir("\(zones)/Europe", 0o755) == 0)
        try write(try SampleZones.bytes("Europe/Helsinki"), to: "zones/Europe/Helsinki")
        try write(try SampleZones.bytes("Asia/Kolkata"), to: "outside")
    }

    private func write(_ bytes: [UInt8], to name: String) throws {
        let stream = try #require(fopen(folder.file(name), "w"))
        #expect(fwrite(bytes, 1, bytes.count, stream) == bytes.count)
        fclose(stream)
    }

    /// tzdata is installed wherever services run.
    @Test func theZonesOfTheSystemAreKnown() throws {
        let catalog = TimeZoneCatalog()
        let list = try #require(
            SmallFile.read("\(TimeZoneCatalog.systemFolder)/zone1970.tab", bytesMaximum: 1 << 20)
                .flatMap { OutsideText.string($0) })
        let names = list.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { $0.split(separator: "\t")[2] }
        #expect(names.count > 300)
        for name in names { #expect(catalog.rules(named: String(name)) != nil, "\(name)") }
        let noon = try SampleZones.time("2026-01-15T12:00:00Z")
        #expect(catalog.rules(named: "Europe/Helsinki")?.offset(at: noon) == .seconds(7_200))
    }

    @Test func aZoneIsFoundByItsName() throws {
        let catalog = TimeZoneCatalog(folder: zones)
        #expect(catalog.rules(named: "Europe/Helsinki") == (try SampleZones.rules("Europe/Helsinki")))
        for name in ["Europe/Turku", "Europe", "Helsinki", "europe/helsinki", "Europe/Helsinki/"] {
            #expect(catalog.rules(named: name) == nil, "\(name)")
        }
    }

    @Test(arguments: [
        "", "/", "../outside", "Europe/../../outside", "./Europe/Helsinki", "/etc/localtime", "..", "Europe/Helsinki\0",
        "Europe/Helsinki ", "Europe\\Helsinki", "Europe/H\u{E9}lsinki", "Europe/Helsinki\u{301}", "%2e%2e/outside",
        String(repeating: "a", count: 65),
    ])
    func aNameIsNoPath(name: String) {
        #expect(!TimeZoneName.isPossible(name))
        #expect(TimeZoneCatalog(folder: zones).rules(named: name) == nil)
    }

    @Test(arguments: ["UTC", "Etc/GMT+12", "America/Port-au-Prince", "America/North_Dakota/New_Salem", "EST5EDT"])
    func namesOfTzdataArePossible(name: String) {
        #expect(TimeZoneName.isPossible(name))
    }

    @Test func linksAreFollowedWithinTheFolderOnly() throws {
        #expect(symlink("Helsinki", "\(zones)/Europe/Mariehamn") == 0)
        #expect(symlink("../outside", "\(zones)/localtime") == 0)
        #expect(symlink(folder.path, "\(zones)/up") == 0)
        #expect(symlink("loop", "\(zones)/loop") == 0)
        // The name of this folder starts like that of the other.
        #expect(mkdir("\(zones)2", 0o755) == 0)
        try write(try SampleZones.bytes("Asia/Kolkata"), to: "zones2/Kolkata")
        #expect(symlink("\(zones)2/Kolkata", "\(zones)/Kolkata") == 0)
        #expect(symlink(zones, folder.file("link")) == 0)
        for path in [zones, "\(zones)/", folder.file("link")] {
            let catalog = TimeZoneCatalog(folder: path)
            #expect(catalog.rules(named: "Europe/Mariehamn") == (try SampleZones.rules("Europe/Helsinki")))
            for name in ["localtime", "up/outside", "up/zones2/Kolkata", "loop", "Kolkata"] {
                #expect(catalog.rules(named: name) == nil, "\(name)")
            }
        }
    }

    @Test func onlyAZoneIsOne() throws {
        try write(Array("TZif is not enough".utf8), to: "zones/text")
        try write([], to: "zones/empty")
        try write(
            try SampleZones.bytes("Asia/Kolkata") + [UInt8](repeating: 0, count: TimeZoneRules.bytesMaximum),
            to: "zones/large")
        // No process writes to it: opening it would never return.
        #expect(mkfifo("\(zones)/pipe", 0o600) == 0)
        let catalog = TimeZoneCatalog(folder: zones)
        for name in ["text", "empty", "large", "pipe"] { #expect(catalog.rules(named: name) == nil, "\(name)") }
    }

    @Test func withoutTzdataThereIsUTC() throws {
        let catalog = TimeZoneCatalog(folder: folder.file("missing"))
        #expect(catalog.rules(named: "UTC") == .utc)
        #expect(catalog.rules(named: "Etc/UTC") == .utc)
        #expect(catalog.rules(named: "Europe/Helsinki") == nil)
    }

    /// Goal: zones and unknown names are read once, and forgotten when others need the space. Method: files that change
    /// behind the catalog.
    @Test func theCacheHasABound() throws {
        let catalog = TimeZoneCatalog(folder: zones, cacheBytesMaximum: 8_192)
        let helsinki = try SampleZones.rules("Europe/Helsinki")
        #expect(catalog.rules(named: "Europe/Helsinki") == helsinki)
        #expect(catalog.rules(named: "Europe/Turku") == nil)
        try write(try SampleZones.bytes("Asia/Kolkata"), to: "zones/Europe/Helsinki")
        try write(try SampleZones.bytes("Asia/Kolkata"), to: "zones/Europe/Turku")
        #expect(catalog.rules(named: "Europe/Helsinki") == helsinki)
        #expect(catalog.rules(named: "Europe/Turku") == nil)
        for number in 0..<40 { #expect(catalog.rules(named: "none\(number)") == nil) }
        let kolkata = try SampleZones.rules("Asia/Kolkata")
        #expect(catalog.rules(named: "Europe/Helsinki") == kolkata)
        #expect(catalog.rules(named: "Europe/Turku") == kolkata)
    }

    @Test func manyThreadsMayAsk() async throws {
        let catalog = TimeZoneCatalog(folder: SampleZones.folder, cacheBytesMaximum: 4_096)
        let names = ["Europe/Helsinki", "Asia/Kolkata", "UTC", "America/Nuuk", "unknown"]
        let expected = [try SampleZones.rules(names[0]), try SampleZones.rules(names[1]), .utc, nil, nil]
        await withTaskGroup { group in
            for start in 0..<8 {
                group.addTask {
                    for round in 0..<50 {
                        let place = (start + round) % names.count
                        let found = catalog.rules(named: names[place])
                        if place != 3 { #expect(found == expected[place]) }
                    }
                }
            }
        }
    }
}
