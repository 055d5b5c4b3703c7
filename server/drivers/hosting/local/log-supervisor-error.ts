/** Writes a line to the supervisor's log, which is its standard error: a JSON object like the lines of the portal's log. */
export function logSupervisorError(
  { err, ...fields }: { event: string; err?: unknown } & Record<string, unknown>,
  message: string,
): void {
  const error = err instanceof Error ? (err.stack ?? err.message) : err === undefined ? undefined : String(err)
  console.error(JSON.stringify({ time: new Date().toISOString(), ...fields, err: error, msg: message }))
}
