"""The nouns of hookscope and the wire between the window and the debuggee: plain frozen structs, no torch, no Qt."""
