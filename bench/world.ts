/** Creates the same data for both servers: the demo data, with additional companies and users for the load. */
import { createHmac, randomUUID } from 'node:crypto'
import { clientCredential } from '#contract/accounts.ts'
import { headers } from '#contract/headers.ts'

export const companyCount = 8
const usersPerCompany = 20

/** Must run as the owner of the tables, which bypasses all policies. All users have the password of the demo data. */
export const extraCompaniesSql = [
  `insert into company (code, name, create_time, update_time)
    select 'bench' || n, 'Bench ' || n, 0, 0 from generate_series(1, ${companyCount}) n`,
  `insert into portal_user (company_id, title, name, name_key, email, email_key, password_hash, admin, orders, alert, status,
      language, access_level, seal_key, change, create_time, update_time)
    select c.id, 0, 'User ' || n, 'user ' || n, 'user' || n || '@' || c.code || '.example',
      'user' || n || '@' || c.code || '.example', (select password_hash from portal_user where email_key = 'admin@acme.example'),
      n = 0, false, false, 1, 'en', 0, repeat('A', 43), 0, 0, 0
    from company c, generate_series(0, ${usersPerCompany}) n where c.code like 'bench%'`,
]

export interface BenchSession {
  bearer: string
  userId: number
  companyId: number
}

/** Signs in as a client without cookies. */
export async function signIn(url: string, username: string): Promise<BenchSession> {
  const response = await fetch(`${url}/api/m18s/token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(clientCredential).toString('base64')}`,
      [headers.tokenStore]: 'body',
    },
    body: new URLSearchParams({ grant_type: 'password', scope: 'all', username, password: 'Portal-demo-1' }),
  })
  if (!response.ok) throw new Error(`the sign-in of ${username} failed: ${response.status} ${await response.text()}`)
  const { access_token, user_id } = (await response.json()) as { access_token: string; user_id: number }
  const user = await fetch(`${url}/api/m18s/user`, { headers: { authorization: `Bearer ${access_token}` } })
  const { company_id } = (await user.json()) as { company_id: number }
  return { bearer: `Bearer ${access_token}`, userId: user_id, companyId: company_id }
}

export interface BenchUser {
  id: number
  row_version: number
  alert: boolean
}

export async function listUsers(url: string, { bearer, companyId }: BenchSession): Promise<BenchUser[]> {
  const response = await fetch(`${url}/api/m18s/company/${companyId}/users?results=50`, {
    headers: { authorization: bearer },
  })
  const { data } = (await response.json()) as { data: BenchUser[] }
  return data
}

export const secret = randomUUID()

/** Returns a token for the baseline server. */
export function createBaselineBearer(): string {
  const encodePart = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${encodePart({ alg: 'HS256', typ: 'JWT' })}.${encodePart({ sub: 1, company: 1 })}`
  return `Bearer ${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}
