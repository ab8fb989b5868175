import IngestAPI

await IngestAPI.main()
