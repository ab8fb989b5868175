import PushModel
import Testing

@Suite struct ContentNumberTests {
    @Test func everyContentHasANumberOfItsOwn() throws {
        var known: Set<UInt32> = [ContentNumber.ofTask.rawValue]
        for part in [0, 1, 511, 512, 65_535, ContentNumber.partsMaximum - 1] {
            for place in 0..<ContentNumber.placesMaximum {
                let number = ContentNumber(part: part, place: place)
                #expect(known.insert(number.rawValue).inserted)
                #expect(try #require(number.location) == (part, place))
                #expect(ContentNumber(rawValue: number.rawValue) == number)
            }
        }
        #expect(ContentNumber(rawValue: 0) == .ofTask && ContentNumber.ofTask.location == nil)
    }

    /// The number after the last place of a part, after the last part, and the highest of all.
    @Test func otherNumbersAreRefused() {
        let last = ContentNumber(part: ContentNumber.partsMaximum - 1, place: ContentNumber.placesMaximum - 1)
        for rawValue in [401, 512, last.rawValue + 1, last.rawValue + 113, .max] {
            #expect(ContentNumber(rawValue: rawValue) == nil, "\(rawValue)")
        }
    }
}
