import 'fake-indexeddb/auto'
import { afterEach, expect, test, vi } from 'vitest'
import { exportTrail } from '#contract/audit-trail.ts'
import { cookies } from '#contract/cookies.ts'
import { headers } from '#contract/headers.ts'
import { getThisDevice } from '#local/storage/device.ts'
import { openSession } from '#local/session/session.ts'

afterEach(() => vi.unstubAllGlobals())

test('fault 1j a file that was cut off on its way is said to be incomplete, and nothing of it is saved', async () => {
  await openSession(getThisDevice(), { companyId: 1, userId: 1 })
  vi.stubGlobal('location', new URL('http://localhost:8080/saas/'))
  vi.stubGlobal('document', { cookie: `${cookies.access.plain}=token` })
  // It asks where it is as soon as it is loaded.
  const { download } = await import('#app/connection/download.ts')
  let chunks = 0
  const body = new ReadableStream({
    pull(controller) {
      chunks += 1
      if (chunks > 2) controller.error(new TypeError('terminated'))
      else controller.enqueue(new TextEncoder().encode('half'))
    },
  })
  vi.stubGlobal('fetch', async () => new Response(body, { headers: { [headers.requestId]: 'r' } }))
  expect(await download(exportTrail, { query: { format: 'csv' } })).toMatchObject({
    kind: 'problem',
    problem: { code: 'DOWNLOAD_CUT' },
  })
})
