/**
 * Provides common parts of the flood campaigns: a real server on the embedded database with normal password hashing costs, and an account
 * owner who logs in every second on a known device and must succeed within two seconds each time.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { clientCredential } from '#contract/accounts.ts'
import { withContext } from '#tests/support/server/companies.ts'
import { startProcess } from '#tests/support/server/process.ts'
import { createDataFolder } from '#tests/support/runner/template.ts'
import { loadWorld, password } from '#tests/support/server/world.ts'

export const ownerUsername = 'alpha:admin@alpha.example'
/** Login name of a user of another company than the account owner's. */
export const anonymousUsername = 'beta:admin@beta.example'
const maxKnownMs = 2000

export interface SignInResponse {
  status: number
  /** Value of Retry-After in seconds, or 0 if the response has none. */
  retryAfter: number
  ms: number
  device: string | null
  /** Access token, or null if the login failed. */
  accessToken: string | null
}

export type SignIn = (username: string, password: string, headers?: Record<string, string>) => Promise<SignInResponse>

export const createSignIn =
  (url: string): SignIn =>
  async (username, password, headers = {}) => {
    const startedAt = performance.now()
    const response = await fetch(`${url}/api/m18s/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(clientCredential)}`, 'sec-fetch-site': 'same-origin', ...headers },
      body: new URLSearchParams({ grant_type: 'password', username, password }),
      signal: AbortSignal.timeout(60_000),
    })
    const text = await response.text()
    const deviceCookie = response.headers.getSetCookie().find((setCookie) => setCookie.startsWith('portal-device='))
    return {
      status: response.status,
      retryAfter: Number(response.headers.get('retry-after') ?? 0),
      ms: performance.now() - startedAt,
      device: deviceCookie?.split(';')[0] ?? null,
      accessToken: response.ok ? (JSON.parse(text) as { access_token: string }).access_token : null,
    }
  }

/** Logs in once, so that the server has recorded the device. Returns a function that repeats the login and records its duration. */
export async function signInKnownDevice(
  signIn: SignIn,
  report: { knownMs: number[]; failures: string[] },
): Promise<() => Promise<void>> {
  const { device } = await signIn(ownerUsername, password)
  if (device === null) throw new Error('the first sign-in set no device cookie')
  return async () => {
    const { status, ms } = await signIn(ownerUsername, password, { cookie: device, 'x-forwarded-for': '198.51.100.1' })
    report.knownMs.push(ms)
    if (status !== 200 || ms > maxKnownMs)
      report.failures.push(`the response to the known device was ${status} after ${Math.round(ms)} ms`)
  }
}

export async function runEverySecond(isOver: () => boolean, work: () => Promise<void>): Promise<void> {
  while (!isOver()) await Promise.all([work(), wait(1000)])
}

/**
 * Starts the server and runs `runFlood`, which returns the faults it found. Adds a fault if the server is not ready at the end or does not
 * stop cleanly.
 */
export async function runUnderFlood(
  runFlood: (server: { url: string; output: () => string }) => Promise<string[]>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-flood-'))
  const defaultHashes = { ARGON2_MEMORY_KB: '19456', ARGON2_TIME: '2' }
  const env = { DATA_DIR: join(folder, 'data'), TRUST_PROXY: '1', DEMO: '0', ...defaultHashes }
  await createDataFolder(env.DATA_DIR)
  // Uses the test users, because demo data is not available behind a proxy.
  await withContext(env, async (app) => void (await loadWorld(app)))
  const server = startProcess(env)
  try {
    const url = await server.ready
    const failures = await runFlood({ url, output: server.output })
    const { status } = await fetch(`${url}/health/ready`)
    if (status !== 200) failures.push(`the server is not ready: ${status}`)
    const code = await server.kill('SIGTERM')
    if (code !== 0) failures.push(`the server ended with ${code}`)
    for (const failure of failures.slice(0, 10)) console.error(`  ${failure}`)
    console.log(`  ${failures.length} failures`)
    if (failures.length > 0) process.exitCode = 1
  } finally {
    await server.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  }
}

export function formatSpread(durations: readonly number[]): string {
  const sortedMs = durations.toSorted((a, b) => a - b)
  const percentile = (share: number) => Math.round(sortedMs[Math.ceil(sortedMs.length * share) - 1] ?? 0)
  return `median ${percentile(0.5)} ms, p95 ${percentile(0.95)} ms, longest ${percentile(1)} ms`
}
