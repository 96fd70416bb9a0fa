"""Where commands run: processes, containers, clusters; workspaces and repositories."""
