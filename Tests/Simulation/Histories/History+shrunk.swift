extension History {
    /// A history with as few events as one finds by leaving them out in turn, that still breaks a rule.
    func shrunk(bug: PlantedBug? = nil) -> History {
        var history = self
        var hasChanged = true
        while hasChanged {
            hasChanged = false
            for place in history.events.indices.reversed() {
                var shorter = history
                shorter.events.remove(at: place)
                guard !HistoryRun(shorter, bug: bug).violations().isEmpty else { continue }
                history = shorter
                hasChanged = true
            }
        }
        return history
    }
}
