/**
 * Eight people of another company upload hostile pictures one after the other, for a minute: strips that would be scaled to 51 GB,
 * the most pixels that are taken, 700 MB behind a colour profile, one without an end (S-94). Each is answered, none with an error
 * of the server's, and the owner of an account is in within two seconds all the while.
 *
 *   npm run campaign -- picture-flood [seconds]
 */
import { randomUUID } from 'node:crypto'
import { everySecond, knownDevice, signAt, spread, stranger, underFlood } from '#tests/campaigns/flood.ts'
import { blackPng, deflatedZeros, endlessJpeg, pngChunk } from '#tests/support/uploads/pictures.ts'
import { password } from '#tests/support/server/world.ts'

const uploaders = 8

const pictures = (): readonly Uint8Array[] => [
  blackPng({ width: 65_535, height: 1 }),
  blackPng({ width: 1024, height: 1 }),
  blackPng({ width: 4096, height: 4096, depth: 16 }),
  blackPng({ width: 1295, height: 12_950, depth: 16 }),
  blackPng(
    { width: 64, height: 64 },
    pngChunk('iCCP', Buffer.concat([Buffer.from('profile\0\0', 'latin1'), deflatedZeros(700_000_000)])),
  ),
  endlessJpeg(),
]

/** What an upload may be answered: taken, refused for what it is, or told to come again. */
const fine = new Set([200, 400, 413, 415, 423, 429, 503])

export async function run([given = '60']: string[]): Promise<void> {
  console.log(`picture-flood: ${uploaders} people for ${given} s`)
  await underFlood(async ({ url }) => {
    const report = { known: [] as number[], failures: [] as string[] }
    const sign = signAt(url)
    const known = await knownDevice(sign, report)
    const { access } = await sign(stranger, password)
    const all = pictures()
    const answers = new Map<number, number>()
    const upload = async (bytes: Uint8Array) => {
      const form = new FormData()
      form.append('avatar', new Blob([Buffer.from(bytes)], { type: 'image/png' }), 'me.png')
      const headers = { authorization: `Bearer ${access}`, 'idempotency-key': randomUUID() }
      const { status } = await fetch(`${url}/api/m18s/asset`, { method: 'POST', headers, body: form })
      answers.set(status, (answers.get(status) ?? 0) + 1)
      if (!fine.has(status)) report.failures.push(`a picture was answered ${status}`)
    }
    const end = performance.now() + Number(given) * 1000
    const isOver = () => performance.now() > end
    const person = async (_: unknown, from: number) => {
      for (let at = from; !isOver(); at++) await upload(all[at % all.length] as Uint8Array)
    }
    await Promise.all([everySecond(isOver, known), ...Array.from({ length: uploaders }, person)])
    console.log(`  pictures: ${[...answers].map(([status, many]) => `${status} ${many} times`).join(', ')}`)
    console.log(`  known device: in ${report.known.length} times, ${spread(report.known)}`)
    return report.failures
  })
}
