/**
 * A staff user starts a thousand uploads, 250 at a time, sends junk to the accepted ones, cuts every third one in the middle, and also
 * posts forms (U-11). Each request must be accepted, refused, or get a response with a later time to retry. The remaining uploads must not
 * exceed the quota, and an account owner can log in within two seconds all the time.
 *
 * npm run campaign -- upload-flood [uploads]
 */
import { runEverySecond, signInKnownDevice, createSignIn, formatSpread, runUnderFlood } from '#tests/campaigns/flood.ts'
import { buildNoise } from '#tests/support/uploads/packages.ts'
import { startHangingPatch } from '#tests/support/uploads/tus.ts'
import { password } from '#tests/support/server/world.ts'

const staff = 'm18:admin@m18.example'
const uploadBytes = 20_000
const maxWaitingUploads = 20
/** Number of uploads at the same time. More uploads would disturb the measurement in this process. */
const uploadsAtOnce = 250
/** Allowed statuses: accepted, refused, or to be retried later. */
const expectedStatuses = new Set([201, 204, 400, 429, 503])

export async function run([countText = '1000']: string[]): Promise<void> {
  console.log(`upload-flood: ${countText} uploads, ${uploadsAtOnce} at a time`)
  await runUnderFlood(async ({ url }) => {
    const report = { knownMs: [] as number[], failures: [] as string[] }
    const signIn = createSignIn(url)
    const signInKnown = await signInKnownDevice(signIn, report)
    const { accessToken } = await signIn(staff, password)
    const authorization = `Bearer ${accessToken}`
    const tus = { authorization, 'tus-resumable': '1.0.0' }
    const statusCounts = new Map<number, number>()
    const recordStatus = (status: number) => {
      statusCounts.set(status, (statusCounts.get(status) ?? 0) + 1)
      if (!expectedStatuses.has(status)) report.failures.push(`the response to an upload was ${status}`)
    }
    const junkBytes = buildNoise(uploadBytes)
    async function upload(index: number): Promise<void> {
      const metadata = `filename ${btoa(`app${index}.mapp`)}`
      const startResponse = await fetch(`${url}/api/app/upload/tus`, {
        method: 'POST',
        headers: { ...tus, 'upload-length': String(uploadBytes), 'upload-metadata': metadata },
      })
      recordStatus(startResponse.status)
      const location = startResponse.headers.get('location')
      if (location === null) return
      if (index % 3 === 0) {
        const { cut, closed } = await startHangingPatch(url + location, accessToken ?? '', {
          offset: 0,
          length: uploadBytes,
          bytes: junkBytes.subarray(0, 99),
        })
        cut()
        return await closed
      }
      const headers = { ...tus, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }
      const patchResponse = await fetch(url + location, { method: 'PATCH', headers, body: new Uint8Array(junkBytes) })
      recordStatus(patchResponse.status)
    }
    async function uploadForm(): Promise<void> {
      const body = new FormData()
      body.append('file', new Blob([new Uint8Array(junkBytes)]), 'junk.mapp')
      recordStatus((await fetch(`${url}/api/app/upload`, { method: 'POST', headers: { authorization }, body })).status)
    }
    let isOver = false
    const uploads = Promise.all([
      ...Array.from({ length: uploadsAtOnce }, async (_, firstIndex) => {
        for (let index = firstIndex; index < Number(countText); index += uploadsAtOnce) await upload(index)
      }),
      ...Array.from({ length: 100 }, uploadForm),
    ]).finally(() => {
      isOver = true
    })
    await Promise.all([uploads, runEverySecond(() => isOver, signInKnown)])
    const listedUploads = (await (await fetch(`${url}/api/app/upload`, { headers: { authorization } })).json()) as {
      state: string
    }[]
    const waitingCount = listedUploads.filter(({ state }) => state !== 'refused').length
    if (waitingCount > maxWaitingUploads || listedUploads.length > 2 * maxWaitingUploads)
      report.failures.push(`${listedUploads.length} uploads are stored`)
    console.log(`  responses: ${[...statusCounts].map(([status, count]) => `${status} ${count} times`).join(', ')}`)
    console.log(`  ${listedUploads.length} stored, ${waitingCount} of them waiting`)
    console.log(`  known device: ${report.knownMs.length} sign-ins, ${formatSpread(report.knownMs)}`)
    return report.failures
  })
}
