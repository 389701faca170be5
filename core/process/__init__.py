"""Work that may crash, hang or eat memory runs in a child process; this is how the app talks to one and how it ends."""
