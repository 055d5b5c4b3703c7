/** Creates an API client of the demo's staff user. Its token remains valid across restarts of the server. */
import { clientCredential } from '#contract/accounts.ts'
import { people, type Portal } from '#tests/support/browser/browser.ts'

export async function createOutsideClient({ url }: Portal) {
  const { company, username, password } = people.staff
  const response = await fetch(`${url}/api/m18s/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(clientCredential)}`, 'x-token-store': 'body' },
    body: new URLSearchParams({ grant_type: 'password', scope: 'all', username: `${company}:${username}`, password }),
  })
  const { access_token: token } = (await response.json()) as { access_token: string }
  const authorization = `Bearer ${token}`
  return {
    /** Returns null if there is no response. */
    send: (path: string, init: RequestInit = {}) =>
      fetch(url + path, { ...init, headers: { authorization, ...init.headers } }).catch(() => null),
  }
}
