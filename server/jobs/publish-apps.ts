/** Publishes uploaded packages, one a step and a transaction. */
import type { OutputOf } from '#contract/endpoint.ts'
import type { publishApps as endpoint } from '#contract/apps.ts'
import { inTransaction } from '#server/db/transaction.ts'
import type { JobKind } from '#server/jobs/job-kind.ts'
import { publishedRows, type PublishInput, publishOne } from '#server/use-cases/catalogue/publish-apps.ts'
import { removeUploadFile } from '#server/use-cases/uploads/upload-files.ts'

const asSystem = { role: 'portal_system' } as const

export const publishPackages = (): JobKind<PublishInput, { next: number }, OutputOf<typeof endpoint>> => ({
  // What a step published before it was cut off is found published, and left.
  resumes: true,
  async step({ app, input, point }) {
    const at = point?.next ?? 0
    const { modules } = input
    const md5 = modules[at]
    if (md5 === undefined)
      return { kind: 'done', output: await inTransaction(app, asSystem, (db) => publishedRows(db, input), 'reading') }
    const { name, uploadId } = await inTransaction(app, asSystem, (db) => publishOne(app, db, input, md5))
    // Its package is kept under another name. Should it stay, the next look at the folder takes it.
    if (uploadId !== null) await removeUploadFile(app, uploadId).catch(() => undefined)
    const done = at + 1
    return {
      kind: 'on',
      point: { next: done },
      percent: Math.min(99, Math.floor((done / modules.length) * 100)),
      info: { name: name ?? '', message: `${done} / ${modules.length}` },
    }
  },
})
