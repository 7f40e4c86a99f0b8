"""The client: launches a debuggee and drives it. No Qt, no torch; tests and scripts use it as the window does."""
