import 'fake-indexeddb/auto'
import { afterEach, expect, test, vi } from 'vitest'
import { exportTrail } from '#contract/audit-trail.ts'
import { cookies } from '#contract/cookies.ts'
import { headers } from '#contract/headers.ts'
import { getThisDevice } from '#local/storage/device.ts'
import { openSession } from '#local/session/session.ts'

afterEach(() => vi.unstubAllGlobals())

test('A download that was cut off is reported as incomplete, and nothing of it is saved (fault 1j)', async () => {
  await openSession(getThisDevice(), { companyId: 1, userId: 1 })
  vi.stubGlobal('location', new URL('http://localhost:8080/saas/'))
  vi.stubGlobal('document', { cookie: `${cookies.access.plain}=token` })
  // The module reads the location when it is loaded.
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
