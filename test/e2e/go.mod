module shikiri.dev/e2e

go 1.26
