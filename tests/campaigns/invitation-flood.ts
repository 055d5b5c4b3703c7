/**
 * A company invites strangers from ten connections at once, for half a minute, each under another name with
 * words of its own. No more mails leave than a company may send in an hour; the rest is refused and says when to come again;
 * and the owner of an account at another company is in within two seconds all the while.
 *
 *   npm run campaign -- invitation-flood [seconds]
 */
import { randomUUID } from 'node:crypto'
import { mailsAnHour } from '#domain/mails.ts'
import { everySecond, knownDevice, signAt, spread, stranger, underFlood } from '#tests/campaigns/flood.ts'
import { password } from '#tests/support/server/world.ts'

const connections = 10

export async function run([given = '30']: string[]): Promise<void> {
  console.log(`invitation-flood: ${connections} connections for ${given} s`)
  await underFlood(async ({ url }) => {
    const report = { known: [] as number[], failures: [] as string[] }
    const sign = signAt(url)
    const known = await knownDevice(sign, report)
    const { access } = await sign(stranger, password)
    let [invited, refused] = [0, 0]
    const invite = async (name: string) => {
      const answer = await fetch(`${url}/api/m18s/user`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${access}`,
          'content-type': 'application/json',
          'idempotency-key': randomUUID(),
        },
        body: JSON.stringify({ title: 0, name: `Win a prize ${name}`, email: `${name}@elsewhere.example` }),
      })
      await answer.text()
      if (answer.status === 200) invited++
      else if ([423, 429].includes(answer.status) && Number(answer.headers.get('retry-after')) > 0) refused++
      else report.failures.push(`an invitation was answered ${answer.status}`)
    }
    const end = performance.now() + Number(given) * 1000
    const isOver = () => performance.now() > end
    const connection = async (_: unknown, from: number) => {
      for (let at = 0; !isOver(); at++) await invite(`stranger-${from}-${at}`)
    }
    await Promise.all([everySecond(isOver, known), ...Array.from({ length: connections }, connection)])
    const { knownCompany: most } = mailsAnHour
    if (invited > most) report.failures.push(`${invited} mails left, and ${most} may`)
    console.log(`  invitations: ${invited} sent, ${refused} refused`)
    console.log(`  known device: in ${report.known.length} times, ${spread(report.known)}`)
    return report.failures
  })
}
