/**
 * Strangers try wrong passwords from sixty addresses, at one account more than at any other, until all of them together are
 * past the limit, and for a while longer (S-29 to S-33). Meanwhile the owner of that account signs in every second on a known
 * device and must be in within two seconds each time; somebody else does on an unknown one and must be let in or told when to
 * come again. A real server on the embedded database, with hashes of the usual cost; the addresses are those that its proxy
 * would report.
 *
 *   npm run campaign -- sign-in-flood [tries]
 */
import { availableParallelism } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import {
  everySecond,
  knownDevice,
  owner,
  type Sign,
  signAt,
  spread,
  stranger,
  underFlood,
} from '#tests/campaigns/flood.ts'
import { password } from '#tests/support/server/world.ts'

const addresses = 60
/** Of the strangers' tries this many-th is at the owner's account. */
const everyNth = 20
/** After the tries: strangers are slowed by now. */
const afterwardsMs = 20_000
const longestMs = 8 * 60_000

interface Report {
  wrong: number
  refused: number
  known: number[]
  unknown: { in: number; refused: number; ms: number[] }
  failures: string[]
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
    const username = (at + from) % everyNth === 0 ? owner : `alpha:guess-${from}-${at}@alpha.example`
    const { status, retryAfter } = await sign(username, `Wrong-guess-${at}`, headers)
    if (status === 401) report.wrong++
    else if (status === 429 && retryAfter > 0) report.refused++
    else report.failures.push(`a stranger was answered ${status}, Retry-After ${retryAfter}`)
    // So that refusals do not become the whole of the load.
    if (status === 429) await wait(100)
  }
}

function enterUnknown({ sign, report }: Flood) {
  return async () => {
    const { status, retryAfter, ms } = await sign(stranger, password, { 'x-forwarded-for': '198.51.100.2' })
    report.unknown.ms.push(ms)
    if (status === 200) report.unknown.in++
    else if (status === 429 && retryAfter > 0) report.unknown.refused++
    else report.failures.push(`the unknown device was answered ${status}, Retry-After ${retryAfter}`)
  }
}

async function flood(url: string, tries: number): Promise<Report> {
  const sign = signAt(url)
  const report: Report = { wrong: 0, refused: 0, known: [], unknown: { in: 0, refused: 0, ms: [] }, failures: [] }
  const began = performance.now()
  let triedAt = Number.POSITIVE_INFINITY
  const isOver = () => {
    const now = performance.now()
    if (report.wrong >= tries) triedAt = Math.min(triedAt, now)
    return now > triedAt + afterwardsMs || now > began + longestMs
  }
  const one = { sign, report, isOver }
  const known = await knownDevice(sign, report)
  await Promise.all([
    everySecond(isOver, known),
    everySecond(isOver, enterUnknown(one)),
    ...Array.from({ length: addresses }, (_, from) => guessFrom(one, from)),
  ])
  if (report.wrong < tries) report.failures.push(`only ${report.wrong} of ${tries} tries within ${longestMs / 1000} s`)
  return report
}

export async function run([given = '2000']: string[]): Promise<void> {
  const tries = Number(given)
  console.log(`sign-in-flood: ${tries} wrong tries from ${addresses} addresses, ${availableParallelism()} cores`)
  await underFlood(async ({ url, said }) => {
    const began = performance.now()
    const report = await flood(url, tries)
    const seconds = Math.round((performance.now() - began) / 1000)
    const alarms = said().split('"security":"login flood"').length - 1
    if (alarms !== Number(report.wrong > 2000)) report.failures.push(`${alarms} alarms for ${report.wrong} tries`)
    const { known, unknown } = report
    console.log(
      `  strangers: ${report.wrong} wrong, ${report.refused} refused with a wait, in ${seconds} s; ${alarms} alarms`,
    )
    console.log(`  known device: in ${known.length} times, ${spread(known)}`)
    console.log(
      `  unknown device: in ${unknown.in} times, told to wait ${unknown.refused} times, ${spread(unknown.ms)}`,
    )
    return report.failures
  })
}
