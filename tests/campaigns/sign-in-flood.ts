/**
 * Strangers try wrong passwords from sixty addresses, at one account more than at any other, until all of them together are
 * past the limit, and for a while longer (S-29 to S-33). Meanwhile the owner of that account signs in every second on a known
 * device and must be in within two seconds each time; somebody else does on an unknown one and must be let in or told when to
 * come again. A real server on the embedded database, with hashes of the usual cost; the addresses are those that its proxy
 * would report.
 *
 *   npm run campaign -- sign-in-flood [tries]
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { clientCredential } from '#contract/accounts.ts'
import { demoPassword } from '#server/dev/demo-data.ts'
import { startProcess } from '#tests/support/process.ts'

const addresses = 60
const owner = 'acme:admin@acme.example'
const other = 'globex:admin@globex.example'
/** Of the strangers' tries this many-th is at the owner's account. */
const everyNth = 20
const knownWithinMs = 2000
/** After the tries: strangers are slowed by now. */
const afterwardsMs = 20_000
const longestMs = 8 * 60_000

interface Answer {
  status: number
  retryAfter: number
  ms: number
  device: string | null
}

interface Report {
  wrong: number
  refused: number
  known: number[]
  unknown: { in: number; refused: number; ms: number[] }
  failures: string[]
}

type Sign = (username: string, password: string, headers?: Record<string, string>) => Promise<Answer>

const signAt =
  (url: string): Sign =>
  async (username, password, headers = {}) => {
    const began = performance.now()
    const answer = await fetch(`${url}/api/m18s/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(clientCredential)}`, 'sec-fetch-site': 'same-origin', ...headers },
      body: new URLSearchParams({ grant_type: 'password', username, password }),
      signal: AbortSignal.timeout(60_000),
    })
    await answer.text()
    const set = answer.headers.getSetCookie().find((one) => one.startsWith('portal-device='))
    return {
      status: answer.status,
      retryAfter: Number(answer.headers.get('retry-after') ?? 0),
      ms: performance.now() - began,
      device: set?.split(';')[0] ?? null,
    }
  }

interface Flood {
  sign: Sign
  report: Report
  isOver: () => boolean
}

/** One after the other from one address, each at another name. */
async function guessFrom({ sign, report, isOver }: Flood, from: number): Promise<void> {
  const headers = { 'x-forwarded-for': `203.0.113.${from + 1}` }
  for (let at = 0; !isOver(); at++) {
    const username = (at + from) % everyNth === 0 ? owner : `acme:guess-${from}-${at}@acme.example`
    const { status, retryAfter } = await sign(username, `Wrong-guess-${at}`, headers)
    if (status === 401) report.wrong++
    else if (status === 429 && retryAfter > 0) report.refused++
    else report.failures.push(`a stranger was answered ${status}, Retry-After ${retryAfter}`)
    // So that refusals do not become the whole of the load.
    if (status === 429) await wait(100)
  }
}

async function everySecond(isOver: () => boolean, once: () => Promise<void>): Promise<void> {
  while (!isOver()) await Promise.all([once(), wait(1000)])
}

function enterKnown({ sign, report }: Flood, cookie: string) {
  return async () => {
    const { status, ms } = await sign(owner, demoPassword, { cookie, 'x-forwarded-for': '198.51.100.1' })
    report.known.push(ms)
    if (status !== 200 || ms > knownWithinMs)
      report.failures.push(`the known device was answered ${status} after ${Math.round(ms)} ms`)
  }
}

function enterUnknown({ sign, report }: Flood) {
  return async () => {
    const { status, retryAfter, ms } = await sign(other, demoPassword, { 'x-forwarded-for': '198.51.100.2' })
    report.unknown.ms.push(ms)
    if (status === 200) report.unknown.in++
    else if (status === 429 && retryAfter > 0) report.unknown.refused++
    else report.failures.push(`the unknown device was answered ${status}, Retry-After ${retryAfter}`)
  }
}

async function flood(url: string, tries: number): Promise<Report> {
  const sign = signAt(url)
  const report: Report = { wrong: 0, refused: 0, known: [], unknown: { in: 0, refused: 0, ms: [] }, failures: [] }
  const { device } = await sign(owner, demoPassword)
  if (device === null) throw new Error('the first sign-in gave no device cookie')
  const began = performance.now()
  let triedAt = Number.POSITIVE_INFINITY
  const isOver = () => {
    const now = performance.now()
    if (report.wrong >= tries) triedAt = Math.min(triedAt, now)
    return now > triedAt + afterwardsMs || now > began + longestMs
  }
  const one = { sign, report, isOver }
  await Promise.all([
    everySecond(isOver, enterKnown(one, device)),
    everySecond(isOver, enterUnknown(one)),
    ...Array.from({ length: addresses }, (_, from) => guessFrom(one, from)),
  ])
  if (report.wrong < tries) report.failures.push(`only ${report.wrong} of ${tries} tries within ${longestMs / 1000} s`)
  return report
}

export async function run([given = '2000']: string[]): Promise<void> {
  const tries = Number(given)
  const folder = await mkdtemp(join(tmpdir(), 'portal-flood-'))
  const usualHashes = { ARGON2_MEMORY_KB: '19456', ARGON2_TIME: '2' }
  const server = startProcess({ DATA_DIR: folder, TRUST_PROXY: '1', ...usualHashes })
  try {
    const url = await server.ready
    console.log(`sign-in-flood: ${tries} wrong tries from ${addresses} addresses, ${availableParallelism()} cores`)
    const began = performance.now()
    const report = await flood(url, tries)
    const seconds = Math.round((performance.now() - began) / 1000)
    const alarms = server.said().split('"security":"login flood"').length - 1
    if (alarms !== Number(report.wrong > 2000)) report.failures.push(`${alarms} alarms for ${report.wrong} tries`)
    const { status } = await fetch(`${url}/health/ready`)
    if (status !== 200) report.failures.push(`the server is not ready: ${status}`)
    const code = await server.kill('SIGTERM')
    if (code !== 0) report.failures.push(`the server ended with ${code}`)
    tell(report, { seconds, alarms })
  } finally {
    await server.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  }
}

function tell(report: Report, { seconds, alarms }: { seconds: number; alarms: number }): void {
  const { known, unknown, failures } = report
  console.log(
    `  strangers: ${report.wrong} wrong, ${report.refused} refused with a wait, in ${seconds} s; ${alarms} alarms`,
  )
  console.log(`  known device: in ${known.length} times, ${spread(known)}`)
  console.log(`  unknown device: in ${unknown.in} times, told to wait ${unknown.refused} times, ${spread(unknown.ms)}`)
  for (const failure of failures.slice(0, 10)) console.error(`  ${failure}`)
  console.log(`  ${failures.length} failures`)
  if (failures.length > 0) process.exitCode = 1
}

function spread(ms: readonly number[]): string {
  const sorted = ms.toSorted((a, b) => a - b)
  const at = (share: number) => Math.round(sorted[Math.ceil(sorted.length * share) - 1] ?? 0)
  return `median ${at(0.5)} ms, p95 ${at(0.95)} ms, longest ${at(1)} ms`
}
