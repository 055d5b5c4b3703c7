/** Imported first by every program: makes its files private, independent of the umask of the shell (S-80). */
process.umask(0o077)
