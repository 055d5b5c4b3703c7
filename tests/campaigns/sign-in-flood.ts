/**
 * Strangers try wrong passwords from sixty addresses, most often at one account, until their total exceeds the limit, and continue for a
 * while (S-29 to S-33). The owner of that account logs in every second on a known device and must succeed within two seconds each time.
 * Another user on an unknown device must be let in or get a retry time. Uses a real server on the embedded database with normal password
 * hashing costs. The addresses are those that its proxy would report.
 *
 * npm run campaign -- sign-in-flood [tries]
 */
import { availableParallelism } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import {
  runEverySecond,
  signInKnownDevice,
  ownerUsername,
  type SignIn,
  createSignIn,
  formatSpread,
  anonymousUsername,
  runUnderFlood,
} from '#tests/campaigns/flood.ts'
import { password } from '#tests/support/server/world.ts'

const addresses = 60
/** Every nth attempt of the strangers uses the owner's account. */
const everyNth = 20
/** Time in ms for which the owner's logins continue after the attempts, when strangers are already limited. */
const afterwardsMs = 20_000
const longestMs = 8 * 60_000

interface FloodReport {
  wrongCount: number
  refusedCount: number
  knownMs: number[]
  unknownDevice: { signedIn: number; refusedCount: number; ms: number[] }
  failures: string[]
}

interface FloodContext {
  signIn: SignIn
  report: FloodReport
  isOver: () => boolean
}

async function guessPasswords({ signIn, report, isOver }: FloodContext, addressIndex: number): Promise<void> {
  const headers = { 'x-forwarded-for': `203.0.113.${addressIndex + 1}` }
  for (let index = 0; !isOver(); index++) {
    const username =
      (index + addressIndex) % everyNth === 0 ? ownerUsername : `alpha:guess-${addressIndex}-${index}@alpha.example`
    const { status, retryAfter } = await signIn(username, `Wrong-guess-${index}`, headers)
    if (status === 401) report.wrongCount++
    else if (status === 429 && retryAfter > 0) report.refusedCount++
    else report.failures.push(`the response to a stranger was ${status}, Retry-After ${retryAfter}`)
    // Pauses, so that refused attempts do not become most of the load.
    if (status === 429) await wait(100)
  }
}

function createUnknownSignIn({ signIn, report }: FloodContext) {
  return async () => {
    const { status, retryAfter, ms } = await signIn(anonymousUsername, password, { 'x-forwarded-for': '198.51.100.2' })
    report.unknownDevice.ms.push(ms)
    if (status === 200) report.unknownDevice.signedIn++
    else if (status === 429 && retryAfter > 0) report.unknownDevice.refusedCount++
    else report.failures.push(`the response to the unknown device was ${status}, Retry-After ${retryAfter}`)
  }
}

async function runFlood(url: string, tryCount: number): Promise<FloodReport> {
  const signIn = createSignIn(url)
  const report: FloodReport = {
    wrongCount: 0,
    refusedCount: 0,
    knownMs: [],
    unknownDevice: { signedIn: 0, refusedCount: 0, ms: [] },
    failures: [],
  }
  const startedAt = performance.now()
  let triesEndedAt = Number.POSITIVE_INFINITY
  const isOver = () => {
    const now = performance.now()
    if (report.wrongCount >= tryCount) triesEndedAt = Math.min(triesEndedAt, now)
    return now > triesEndedAt + afterwardsMs || now > startedAt + longestMs
  }
  const context = { signIn, report, isOver }
  const signInKnown = await signInKnownDevice(signIn, report)
  await Promise.all([
    runEverySecond(isOver, signInKnown),
    runEverySecond(isOver, createUnknownSignIn(context)),
    ...Array.from({ length: addresses }, (_, addressIndex) => guessPasswords(context, addressIndex)),
  ])
  if (report.wrongCount < tryCount)
    report.failures.push(`only ${report.wrongCount} of ${tryCount} tries within ${longestMs / 1000} s`)
  return report
}

export async function run([triesText = '2000']: string[]): Promise<void> {
  const tryCount = Number(triesText)
  console.log(`sign-in-flood: ${tryCount} wrong tries from ${addresses} addresses, ${availableParallelism()} cores`)
  await runUnderFlood(async ({ url, output }) => {
    const startedAt = performance.now()
    const report = await runFlood(url, tryCount)
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    const alarmCount = output().split('"event":"login_flood"').length - 1
    if (alarmCount !== Number(report.wrongCount > 2000))
      report.failures.push(`${alarmCount} alarms for ${report.wrongCount} tries`)
    const { knownMs, unknownDevice } = report
    console.log(
      `  strangers: ${report.wrongCount} wrong, ${report.refusedCount} refused with a wait, in ${seconds} s; ${alarmCount} alarms`,
    )
    console.log(`  known device: ${knownMs.length} sign-ins, ${formatSpread(knownMs)}`)
    console.log(
      `  unknown device: ${unknownDevice.signedIn} sign-ins, ${unknownDevice.refusedCount} times refused with a wait, ${formatSpread(unknownDevice.ms)}`,
    )
    return report.failures
  })
}
