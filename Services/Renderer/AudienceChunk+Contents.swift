import PushModel
import Topics

extension AudienceChunk {
    /// The listed contents that its devices get, each once.
    var contents: Set<ContentNumber> {
        var contents: Set<ContentNumber> = []
        for segment in segments where segment.hasContents {
            for position in 0..<segment.count { contents.insert(segment.content(at: position)) }
        }
        contents.remove(.ofTask)
        return contents
    }

    func deviceCount(where isMeant: (ContentNumber) -> Bool) -> Int {
        segments.reduce(0) { count, segment in
            count + (0..<segment.count).count { isMeant(segment.content(at: $0)) }
        }
    }
}
