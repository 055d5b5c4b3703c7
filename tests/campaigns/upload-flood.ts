/**
 * One of the provider's staff begins a thousand uploads, 250 at a time, sends junk to those that were let in, cuts every third in the middle,
 * and posts forms beside (U-11). Each is answered, none with an error of the server's, no more than the quota stay, and the owner of
 * an account is in within two seconds all the while.
 *
 *   npm run campaign -- upload-flood [uploads]
 */
import { everySecond, knownDevice, signAt, spread, underFlood } from '#tests/campaigns/flood.ts'
import { noise } from '#tests/support/uploads/packages.ts'
import { hangingPatch } from '#tests/support/uploads/tus.ts'
import { password } from '#tests/support/server/world.ts'

const staff = 'm18:admin@m18.example'
const size = 20_000
const mostKept = 20
/** More would keep this process from measuring. */
const atOnce = 250
/** Taken, refused for what it is, or told to come again. */
const fine = new Set([201, 204, 400, 429, 503])

export async function run([given = '1000']: string[]): Promise<void> {
  console.log(`upload-flood: ${given} uploads, ${atOnce} at a time`)
  await underFlood(async ({ url }) => {
    const report = { known: [] as number[], failures: [] as string[] }
    const sign = signAt(url)
    const known = await knownDevice(sign, report)
    const { access } = await sign(staff, password)
    const authorization = `Bearer ${access}`
    const tus = { authorization, 'tus-resumable': '1.0.0' }
    const answers = new Map<number, number>()
    const note = (status: number) => {
      answers.set(status, (answers.get(status) ?? 0) + 1)
      if (!fine.has(status)) report.failures.push(`an upload was answered ${status}`)
    }
    const junk = noise(size)
    async function one(at: number): Promise<void> {
      const metadata = `filename ${btoa(`app${at}.mapp`)}`
      const begun = await fetch(`${url}/api/app/upload/tus`, {
        method: 'POST',
        headers: { ...tus, 'upload-length': String(size), 'upload-metadata': metadata },
      })
      note(begun.status)
      const location = begun.headers.get('location')
      if (location === null) return
      if (at % 3 === 0) {
        const { cut, closed } = await hangingPatch(url + location, access ?? '', {
          offset: 0,
          length: size,
          sent: junk.subarray(0, 99),
        })
        cut()
        return await closed
      }
      const headers = { ...tus, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }
      const sent = await fetch(url + location, { method: 'PATCH', headers, body: new Uint8Array(junk) })
      note(sent.status)
    }
    async function form(): Promise<void> {
      const body = new FormData()
      body.append('file', new Blob([new Uint8Array(junk)]), 'junk.mapp')
      note((await fetch(`${url}/api/app/upload`, { method: 'POST', headers: { authorization }, body })).status)
    }
    let isOver = false
    const work = Promise.all([
      ...Array.from({ length: atOnce }, async (_, from) => {
        for (let at = from; at < Number(given); at += atOnce) await one(at)
      }),
      ...Array.from({ length: 100 }, form),
    ]).finally(() => {
      isOver = true
    })
    await Promise.all([work, everySecond(() => isOver, known)])
    const listed = (await (await fetch(`${url}/api/app/upload`, { headers: { authorization } })).json()) as {
      state: string
    }[]
    const waiting = listed.filter(({ state }) => state !== 'refused').length
    if (waiting > mostKept || listed.length > 2 * mostKept) report.failures.push(`${listed.length} uploads stay`)
    console.log(`  answers: ${[...answers].map(([status, many]) => `${status} ${many} times`).join(', ')}`)
    console.log(`  ${listed.length} stay, ${waiting} of them waiting`)
    console.log(`  known device: in ${report.known.length} times, ${spread(report.known)}`)
    return report.failures
  })
}
