/**
 * Eight users of another company upload hostile pictures for a minute: strips that would scale to 51 GB, the maximum number of pixels, 700
 * MB behind a colour profile, and an endless one (S-94). Each upload must be accepted, refused, or get a response with a later time to
 * retry. An account owner can log in within two seconds all the time.
 *
 * npm run campaign -- picture-flood [seconds]
 */
import { randomUUID } from 'node:crypto'
import {
  runEverySecond,
  signInKnownDevice,
  createSignIn,
  formatSpread,
  anonymousUsername,
  runUnderFlood,
} from '#tests/campaigns/flood.ts'
import { blackPng, deflateZeros, buildEndlessJpeg, pngChunk } from '#tests/support/uploads/pictures.ts'
import { password } from '#tests/support/server/world.ts'

const uploaders = 8

const buildPictures = (): readonly Uint8Array[] => [
  blackPng({ width: 65_535, height: 1 }),
  blackPng({ width: 1024, height: 1 }),
  blackPng({ width: 4096, height: 4096, depth: 16 }),
  blackPng({ width: 1295, height: 12_950, depth: 16 }),
  blackPng(
    { width: 64, height: 64 },
    pngChunk('iCCP', Buffer.concat([Buffer.from('profile\0\0', 'latin1'), deflateZeros(700_000_000)])),
  ),
  buildEndlessJpeg(),
]

/** Allowed statuses of an upload: accepted, refused, or to be retried later. */
const expectedStatuses = new Set([200, 400, 413, 415, 423, 429, 503])

export async function run([secondsText = '60']: string[]): Promise<void> {
  console.log(`picture-flood: ${uploaders} people for ${secondsText} s`)
  await runUnderFlood(async ({ url }) => {
    const report = { knownMs: [] as number[], failures: [] as string[] }
    const signIn = createSignIn(url)
    const signInKnown = await signInKnownDevice(signIn, report)
    const { accessToken } = await signIn(anonymousUsername, password)
    const allPictures = buildPictures()
    const statusCounts = new Map<number, number>()
    const upload = async (bytes: Uint8Array) => {
      const form = new FormData()
      form.append('avatar', new Blob([Buffer.from(bytes)], { type: 'image/png' }), 'me.png')
      const headers = { authorization: `Bearer ${accessToken}`, 'idempotency-key': randomUUID() }
      const { status } = await fetch(`${url}/api/m18s/asset`, { method: 'POST', headers, body: form })
      statusCounts.set(status, (statusCounts.get(status) ?? 0) + 1)
      if (!expectedStatuses.has(status)) report.failures.push(`the response to a picture was ${status}`)
    }
    const deadline = performance.now() + Number(secondsText) * 1000
    const isOver = () => performance.now() > deadline
    const runUploader = async (_: unknown, uploaderIndex: number) => {
      for (let index = uploaderIndex; !isOver(); index++)
        await upload(allPictures[index % allPictures.length] as Uint8Array)
    }
    await Promise.all([runEverySecond(isOver, signInKnown), ...Array.from({ length: uploaders }, runUploader)])
    console.log(`  pictures: ${[...statusCounts].map(([status, count]) => `${status} ${count} times`).join(', ')}`)
    console.log(`  known device: ${report.knownMs.length} sign-ins, ${formatSpread(report.knownMs)}`)
    return report.failures
  })
}
