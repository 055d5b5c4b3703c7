/**
 * A company invites strangers over ten connections for half a minute, each with a different name and text. The mails sent must not exceed a
 * company's hourly limit. Further invitations are refused with a retry time, and an account owner of another company can log in within two
 * seconds all the time.
 *
 * npm run campaign -- invitation-flood [seconds]
 */
import { randomUUID } from 'node:crypto'
import { mailsPerHour } from '#domain/mails.ts'
import {
  runEverySecond,
  signInKnownDevice,
  createSignIn,
  formatSpread,
  anonymousUsername,
  runUnderFlood,
} from '#tests/campaigns/flood.ts'
import { password } from '#tests/support/server/world.ts'

const connections = 10

export async function run([secondsText = '30']: string[]): Promise<void> {
  console.log(`invitation-flood: ${connections} connections for ${secondsText} s`)
  await runUnderFlood(async ({ url }) => {
    const report = { knownMs: [] as number[], failures: [] as string[] }
    const signIn = createSignIn(url)
    const signInKnown = await signInKnownDevice(signIn, report)
    const { accessToken } = await signIn(anonymousUsername, password)
    let [invitedCount, refusedCount] = [0, 0]
    const invite = async (name: string) => {
      const response = await fetch(`${url}/api/m18s/user`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${accessToken}`,
          'content-type': 'application/json',
          'idempotency-key': randomUUID(),
        },
        body: JSON.stringify({ title: 0, name: `Win a prize ${name}`, email: `${name}@elsewhere.example` }),
      })
      await response.text()
      if (response.status === 200) invitedCount++
      else if ([423, 429].includes(response.status) && Number(response.headers.get('retry-after')) > 0) refusedCount++
      else report.failures.push(`the response to an invitation was ${response.status}`)
    }
    const deadline = performance.now() + Number(secondsText) * 1000
    const isOver = () => performance.now() > deadline
    const runConnection = async (_: unknown, connectionIndex: number) => {
      for (let index = 0; !isOver(); index++) await invite(`stranger-${connectionIndex}-${index}`)
    }
    await Promise.all([runEverySecond(isOver, signInKnown), ...Array.from({ length: connections }, runConnection)])
    const { knownCompany: maxInvitations } = mailsPerHour
    if (invitedCount > maxInvitations)
      report.failures.push(`${invitedCount} mails were sent, but only ${maxInvitations} are allowed`)
    console.log(`  invitations: ${invitedCount} sent, ${refusedCount} refused`)
    console.log(`  known device: ${report.knownMs.length} sign-ins, ${formatSpread(report.knownMs)}`)
    return report.failures
  })
}
