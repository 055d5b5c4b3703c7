/** Code of the company that last logged in with this browser, for the login page. Not stored if storage is forbidden. */
const storageKey = 'portal.company'
/** Company codes are word characters (portal 5). Anything else was not written by this page. */
const codePattern = /^\w{1,20}$/

/** Returns null if no company is remembered. */
export function readRememberedCompany(): string | null {
  try {
    const code = localStorage.getItem(storageKey)
    return code !== null && codePattern.test(code) ? code : null
  } catch {
    return null
  }
}

export function rememberCompany(code: string): void {
  try {
    localStorage.setItem(storageKey, code)
  } catch {
    // Without storage the code is typed at each login.
  }
}

export function forgetCompany(): void {
  try {
    localStorage.removeItem(storageKey)
  } catch {
    // Without storage no company was remembered.
  }
}
