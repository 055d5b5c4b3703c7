/** Makes all files that this process creates private, independent of the umask of the shell (S-80). Every program imports this first. */
process.umask(0o077)
