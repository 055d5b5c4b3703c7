/** Reads and changes what the server has, apart from the browser. */
import { type NodeClient, signInAt } from '#tests/support/nodes/node-client.ts'
import type { Person } from '#tests/support/browser/browser.ts'

export interface Account {
  url: string
  client: NodeClient
}

export interface ListedUser {
  id: number
  name: string
}

export async function openAccount({ url }: { url: string }, person: Person): Promise<Account> {
  return { url, client: await signInAt(url, `${person.company}:${person.username}`, person.password) }
}

/** Throws if the call fails. */
export async function call<T>(
  { url, client }: Account,
  path: string,
  options: { method?: string; body?: object } = {},
): Promise<T> {
  const headers: Record<string, string> = options.body ? { 'idempotency-key': crypto.randomUUID() } : {}
  const response = await client.send(url, path, { ...options, headers })
  if (!response.ok) throw new Error(`${path} returned ${response.status}: ${await response.text()}`)
  return (await response.json()) as T
}

export async function findUsers(account: Account, searchText: string): Promise<ListedUser[]> {
  const { company_id: companyId } = await call<{ company_id: number }>(account, '/api/m18s/user')
  const path = `/api/m18s/company/${companyId}/users?results=50&searchText=${encodeURIComponent(searchText)}`
  return (await call<{ data: ListedUser[] }>(account, path)).data
}

/** Counts the audit entries of a write. */
export const countAuditEntries = async (account: Account, intent: string): Promise<number> =>
  (await call<{ data: unknown[] }>(account, `/api/systrail?intent=${intent}`)).data.length
