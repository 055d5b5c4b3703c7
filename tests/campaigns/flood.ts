/**
 * What the campaigns of floods have in common: a real server on the embedded database with hashes of the usual cost, whose owner
 * of an account signs in every second on a known device and must be in within two seconds each time, and which lives.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { clientCredential } from '#contract/accounts.ts'
import { withContext } from '#tests/support/server/companies.ts'
import { startProcess } from '#tests/support/server/process.ts'
import { layDataFolder } from '#tests/support/runner/template.ts'
import { loadWorld, password } from '#tests/support/server/world.ts'

export const owner = 'alpha:admin@alpha.example'
/** Of another company. */
export const stranger = 'beta:admin@beta.example'
const knownWithinMs = 2000

export interface Answer {
  status: number
  /** s; 0: not told. */
  retryAfter: number
  ms: number
  device: string | null
  /** The access token; null where nobody is in. */
  access: string | null
}

export type Sign = (username: string, password: string, headers?: Record<string, string>) => Promise<Answer>

export const signAt =
  (url: string): Sign =>
  async (username, password, headers = {}) => {
    const began = performance.now()
    const answer = await fetch(`${url}/api/m18s/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(clientCredential)}`, 'sec-fetch-site': 'same-origin', ...headers },
      body: new URLSearchParams({ grant_type: 'password', username, password }),
      signal: AbortSignal.timeout(60_000),
    })
    const said = await answer.text()
    const set = answer.headers.getSetCookie().find((one) => one.startsWith('portal-device='))
    return {
      status: answer.status,
      retryAfter: Number(answer.headers.get('retry-after') ?? 0),
      ms: performance.now() - began,
      device: set?.split(';')[0] ?? null,
      access: answer.ok ? (JSON.parse(said) as { access_token: string }).access_token : null,
    }
  }

/** Signs in once, so that the device is known, and gives what does so again and reports it. */
export async function knownDevice(
  sign: Sign,
  report: { known: number[]; failures: string[] },
): Promise<() => Promise<void>> {
  const { device } = await sign(owner, password)
  if (device === null) throw new Error('the first sign-in gave no device cookie')
  return async () => {
    const { status, ms } = await sign(owner, password, { cookie: device, 'x-forwarded-for': '198.51.100.1' })
    report.known.push(ms)
    if (status !== 200 || ms > knownWithinMs)
      report.failures.push(`the known device was answered ${status} after ${Math.round(ms)} ms`)
  }
}

export async function everySecond(isOver: () => boolean, once: () => Promise<void>): Promise<void> {
  while (!isOver()) await Promise.all([once(), wait(1000)])
}

/** `flood` answers with what went wrong in it; that the server is ready at its end and closes cleanly is seen here. */
export async function underFlood(
  flood: (server: { url: string; said: () => string }) => Promise<string[]>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-flood-'))
  const usualHashes = { ARGON2_MEMORY_KB: '19456', ARGON2_TIME: '2' }
  const env = { DATA_DIR: join(folder, 'data'), TRUST_PROXY: '1', DEMO: '0', ...usualHashes }
  await layDataFolder(env.DATA_DIR)
  // The tests' people, as the demo's are not served behind a proxy.
  await withContext(env, async (app) => void (await loadWorld(app)))
  const server = startProcess(env)
  try {
    const url = await server.ready
    const failures = await flood({ url, said: server.said })
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

export function spread(ms: readonly number[]): string {
  const sorted = ms.toSorted((a, b) => a - b)
  const at = (share: number) => Math.round(sorted[Math.ceil(sorted.length * share) - 1] ?? 0)
  return `median ${at(0.5)} ms, p95 ${at(0.95)} ms, longest ${at(1)} ms`
}
