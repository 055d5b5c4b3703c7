/** Determines the page to open after the login. Only paths below `/app` are allowed (S-67), because anybody can write the address. */
export const homePath = '/app/home'

const base = 'https://portal.invalid'

export function toReturnPath(requestedPath: string | null): string {
  // Browsers read a backslash as a slash and ignore control characters.
  if (!requestedPath?.startsWith('/') || [...requestedPath].some((character) => character === '\\' || character <= ' '))
    return homePath
  const url = URL.canParse(requestedPath, base) ? new URL(requestedPath, base) : null
  if (url?.origin !== base || !/^\/app(\/|$)/.test(url.pathname)) return homePath
  return url.pathname + url.search + url.hash
}
