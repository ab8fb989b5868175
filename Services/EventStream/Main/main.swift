import EventStream

await EventStream.main()
