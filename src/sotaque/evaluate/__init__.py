"""One whole run: suite -> items -> prompts -> replies -> samples -> summary -> run folder."""
