/** Where a task of a service listens: a socket of the file system on this machine, or an IP address and port. */
export type TaskEndpoint = { socketPath: string } | { host: string; port: number }
