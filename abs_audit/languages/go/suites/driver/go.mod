module abs-audit/go_driver

go 1.21
