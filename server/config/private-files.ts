/** Imported first by every program: what it writes is its owner's alone, whatever the shell that starts it would allow (S-80). */
process.umask(0o077)
