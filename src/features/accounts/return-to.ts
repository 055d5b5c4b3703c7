/** Where one was going before the login stood in the way. Only own routes (S-67): what comes by the address is anybody's. */
export const homePath = '/app/home'

const base = 'https://portal.invalid'

/** The path inside the app to go on to, home for everything else: other hosts, other schemes, other parts of this one. */
export function toReturnPath(requestedPath: string | null): string {
  // A backslash or a control character is read as a slash, or left out, by browsers.
  if (!requestedPath?.startsWith('/') || [...requestedPath].some((character) => character === '\\' || character <= ' '))
    return homePath
  const url = URL.canParse(requestedPath, base) ? new URL(requestedPath, base) : null
  if (url?.origin !== base || !/^\/app(\/|$)/.test(url.pathname)) return homePath
  return url.pathname + url.search + url.hash
}
